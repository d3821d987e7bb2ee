// @ts-check
// The capacity page: every rack and PDU against its limits, how many nodes fit, and the what-if builder.
import { choices, read } from '../core/address.js';
import { as_problem, get, path, Problem } from '../core/api.js';
import { $ } from '../core/dom.js';
import { count, coverage, kw, limit_kw, moment, num, pct, THIN } from '../core/format.js';
import { least } from '../core/known_power.js';
import { now_ms } from '../core/live.js';
import { escape, icon, markup, unit } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { Panel } from '../parts/panel.js';
import { what_if } from '../parts/what_if.js';

/** @import { CapacityAnswer, CapacityPdu, CapacityRack, CapacityView } from '../answers.js' */

/** @type {Record<string, string>} */
const BASES = { observed_max: 'Observed max', observed_p99: 'p99', rated: 'Rated', budget: 'Budget' };
const MARGINS = { 0: `0${THIN}%`, 10: `10${THIN}%`, 20: `20${THIN}%` };
const WINDOWS = { '24h': '24 h', '7d': '7 d', '30d': '30 d' };
/** @type {Record<string, string>} */
const LEVELS = {
  rack: 'rack capacity',
  pdu: 'PDU',
  line: 'circuits',
  failover: 'a failed feed',
  space: 'space',
  outlets: 'outlets',
};
const AT_ONCE = 2;
const racks_panel = $('#racks-panel', Panel);
const pdus_panel = $('#pdus-panel', Panel);
/** @type {CapacityView} */
let view;
/** @type {Map<string, CapacityAnswer | Problem>} */
let fits = new Map(); // by rack, for the request `fits_of`
let fits_of = '';

const basis = () => ({ basis: read('basis', 'observed_max'), from: view.window.from, to: view.window.to });

// ---- racks -------------------------------------------------------------------------------------
/** @param {string} rack */
function fit(rack) {
  const answer = fits.get(rack);
  if (answer === undefined) return '<span class="mute">…</span>';
  if (answer instanceof Problem) {
    const { detail, hint } = answer;
    return `<span class="mute">not evaluated</span><small title="${escape(hint)}">${escape(detail)}</small>`;
  }
  const { additional_nodes: n, binding, not_evaluated } = answer;
  const why = escape(not_evaluated.map((u) => `${LEVELS[u.level]}: ${u.why}`).join('\n'));
  const unknown = not_evaluated.length ? `${not_evaluated.length} unknown` : '';
  if (n === null) return `<span class="mute">no known limit</span><small title="${why}">${unknown}</small>`;
  const limit = binding ? `bound by ${LEVELS[binding.level]}` : '';
  return markup`
    ${n > 0 ? icon('ok', 'ok') : icon('crit', 'crit')} <b>${n > 0 ? `${num(n)} more` : 'none'}</b>
    <small title="${why}">${escape([limit, unknown].filter(Boolean).join(' · '))}</small>
  `;
}

/**
 * @param {CapacityRack} rack
 * @param {number} scale  width of the rack's capacity [%]
 */
function rack_bar({ capacity_w, rated_w, budget_w, observed_w }, scale) {
  if (!capacity_w) return '<span class="mute">no capacity declared (capacity_w)</span>';
  /** @param {number | null} w */
  const of = (w) => ((w ?? 0) / capacity_w) * scale;
  const seen = observed_w.max;
  const bad = (rated_w ?? 0) > capacity_w ? 'bad' : '';
  const width = of(rated_w) - of(seen);
  const more = width > 0 ? `<i class="add ${bad}" style="left:${of(seen)}%;width:${width}%"></i>` : '';
  const budget = budget_w === null ? '' : `<b style="left:${of(budget_w)}%"></b>`;
  return markup`
    <span class="track"><i style="width:${of(seen)}%"></i>${more}${budget}
    <b class="max" style="left:${scale}%"></b></span>
  `;
}

/**
 * @param {CapacityRack} rack
 * @param {number} scale
 */
function rack_row(rack, scale) {
  const seen = rack.observed_w.max;
  const covered = rack.coverage < 0.995 ? ` · ${coverage(rack.coverage)}` : '';
  const when = seen === null ? 'no readings' : `${moment(rack.max_at, now_ms())}${covered}`;
  const place = [rack.room, count(rack.nodes, 'node')].filter(Boolean).join(' · ');
  const [rated, budget, capacity] = [rack.rated_w, rack.budget_w, rack.capacity_w].map(limit_kw);
  return markup`
    <li><span class="name"><a class="link" href="/racks/${encodeURIComponent(rack.key)}">${escape(rack.label)}</a>
    <small class="mute">${escape(place)}</small></span><span class="bar">${rack_bar(rack, scale)}</span>
    <span class="num seen"><b>${least(rack.is_partial)}${kw(seen, 1)}</b> <small class="mute">${when}</small>
    <span class="also"> · rated ${rated} · budget ${budget} · capacity ${capacity}${THIN}kW</span></span>
    <span class="num">${rated}</span><span class="num">${budget}</span><span class="num">${capacity}</span>
    <span class="fit" data-rack="${escape(rack.key)}">${fit(rack.key)}</span></li>
  `;
}

function paint_racks() {
  if (!view.racks.length) {
    const why = 'Racks, their capacity and their nodes are declared in the facility file.';
    racks_panel.empty({ what: 'No racks', why });
    return;
  }
  racks_panel.ready({ heading: view.racks_title, age: view.window.label });
  const shares = view.racks.map((r) =>
    r.capacity_w ? Math.max(r.rated_w ?? 0, r.observed_w.max ?? 0, r.budget_w ?? 0) / r.capacity_w : 0,
  );
  const scale = 100 / (Math.max(1, ...shares) * 1.02);
  const titles = ['observed max', 'rated', 'budget', 'capacity'].map((title) => `<span class="num">${title}</span>`);
  const head = `<li class="head"><span>Rack</span><span></span>${titles.join('')}<span>fits</span></li>`;
  $('#racks').innerHTML = head + view.racks.map((r) => rack_row(r, scale)).join('');
  $('#fits-note').textContent =
    `Fits: more nodes of the rack's most common model, on the basis “${BASES[basis().basis]}”, ` +
    'with the safety margin applied to rack capacity, PDU and line.';
}

async function load_fits() {
  const wanted = { ...basis(), margin_pct: read('margin', '0') };
  const mine = JSON.stringify([wanted.basis, wanted.margin_pct, view.window.label]);
  if (mine !== fits_of) fits = new Map();
  fits_of = mine;
  const waiting = view.racks.map((r) => r.key);
  const work = async () => {
    for (let key = waiting.shift(); key !== undefined && fits_of === mine; key = waiting.shift()) {
      const answer = await get(`/capacity/racks/${encodeURIComponent(key)}`, wanted).catch(as_problem);
      if (fits_of !== mine) return;
      fits.set(key, answer);
      const cell = document.querySelector(`.fit[data-rack="${CSS.escape(key)}"]`);
      if (cell) cell.innerHTML = fit(key);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

// ---- PDUs --------------------------------------------------------------------------------------
/** @param {CapacityPdu} pdu */
function pdu_row(pdu) {
  const seen = pdu.observed_a.max;
  const { limit_a } = pdu;
  /** @param {string} text */
  const at_least = (text) => least(pdu.is_partial) + text;
  const scale = pdu.breaker_a ?? (seen ?? 1) * 1.25;
  /** @param {number | null} a */
  const at = (a) => (a === null ? 0 : Math.min(100, (a / (scale * 1.03)) * 100));
  const marks = `<b style="left:${at(limit_a)}%"></b><b class="max" style="left:${at(pdu.breaker_a)}%"></b>`;
  const place = [pdu.rack_label, pdu.feed && `feed ${pdu.feed}`].filter(Boolean).join(' · ');
  const share_pct = seen === null || limit_a === null ? null : (seen / limit_a) * 100;
  const share = seen === null ? 'reports no line currents' : share_pct === null ? '' : `${pct(share_pct)} of limit`;
  const sign = share_pct !== null && share_pct > 100 ? `${icon('crit', 'crit')} ` : '';
  const of = limit_a === null ? '' : ` of ${num(limit_a, Number.isInteger(limit_a) ? 0 : 1)}`;
  const apparent =
    pdu.usable_va === null
      ? '<span class="mute">no voltage declared</span>'
      : `of ${num(pdu.usable_va / 1000, 1)}${THIN}kVA`;
  return markup`
    <li><span class="name"><a class="link" href="/devices/${encodeURIComponent(pdu.key)}">${escape(pdu.label)}</a>
    <small class="mute">${escape(place)}</small></span>
    <span class="bar"><span class="track"><i style="width:${at(seen)}%"></i>
    ${limit_a === null ? '' : marks}</span></span>
    <span class="num">${sign}<b>${at_least(num(seen, 1))}</b>${of}${THIN}A<small class="mute">${share}</small></span>
    <span class="num w">${unit(at_least(kw(pdu.observed_w.max, 1)), 'kW')}</span>
    <span class="num va">${apparent}</span></li>
  `;
}

function paint_pdus() {
  if (!view.pdus.length) {
    pdus_panel.empty({ what: 'No PDUs', why: 'Devices of kind pdu, or with a breaker, appear here.' });
    return;
  }
  pdus_panel.ready({ heading: view.pdus_title, age: view.window.label });
  $('#pdus').innerHTML = view.pdus.map(pdu_row).join('');
}

// ---- together ----------------------------------------------------------------------------------
function paint_totals() {
  /** @param {'rated_w' | 'capacity_w'} key */
  const sum = (key) => limit_kw(view.racks.reduce((all, r) => all + (r[key] ?? 0), 0));
  $('#totals').textContent = view.racks.length
    ? `${sum('rated_w')}${THIN}kW rated, ${sum('capacity_w')}${THIN}kW rack capacity`
    : '';
}

/** @param {CapacityView} answer */
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_totals();
  paint_racks();
  paint_pdus();
  load_fits();
  builder.offer(view);
}

const name = '/views/capacity';
const load = () => get(name, { window: read('window', '24h') });
const builder = what_if(basis);
const run = refresh(load, paint, [racks_panel, pdus_panel], 120);
const again = () => {
  if (!view) return;
  paint_racks();
  load_fits();
  builder.run();
};
choices($('#basis'), 'basis', BASES, 'observed_max', again);
choices($('#margin'), 'margin', MARGINS, '0', again);
choices($('#window'), 'window', WINDOWS, '24h', run);
const source = () => path(name, { window: read('window', '24h') });
racks_panel.actions = () => [{ label: 'Open the response', hint: 'JSON', run: () => window.open(source()) }];
