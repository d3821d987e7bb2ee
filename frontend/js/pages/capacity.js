// The capacity page: every rack and PDU against its limits, what fits, and the what-if.
import { choices, read } from '../core/address.js';
import { get, path } from '../core/api.js';
import { coverage, escape, icon, kw, limit_kw, moment, num, pct, THIN, unit } from '../core/format.js';
import { now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';
import { what_if } from '../parts/what_if.js';

const $ = (selector) => document.querySelector(selector);
const BASES = { observed_max: 'Observed max', observed_p99: 'p99', rated: 'Rated', budget: 'Budget' };
const MARGINS = { 0: '0' + THIN + '%', 10: '10' + THIN + '%', 20: '20' + THIN + '%' };
const WINDOWS = { '24h': '24 h', '7d': '7 d', '30d': '30 d' };
const LEVELS = { rack: 'supply', pdu: 'PDU', line: 'circuits', failover: 'a failed feed', space: 'space', outlets: 'outlets' };
const AT_ONCE = 2;
let view = null;
let fits = new Map();   // rack -> answer or problem, on the basis, margin and window of `asked_for`
let asked_for = '';

const question = () => ({ basis: read('basis', 'observed_max'), margin_pct: read('margin', '0'), from: view.window.start, to: view.window.end });

function fit(rack) {
  const answer = fits.get(rack.key);
  if (answer === undefined) return '<span class="mute">…</span>';
  if (answer.problem) return `<span class="mute">cannot be told</span><small title="${escape(answer.problem.hint)}">${escape(answer.problem.detail)}</small>`;
  const n = answer.additional_nodes;
  const untold = answer.untold.length ? ` · ${answer.untold.length} not told` : '';
  const why = escape(answer.untold.map((u) => `${LEVELS[u.level]}: ${u.why}`).join('\n'));
  if (n === null) return `<span class="mute">nothing known limits it</span><small title="${why}">${escape(untold.slice(3))}</small>`;
  return `${n > 0 ? icon('ok', 'ok') : icon('crit', 'crit')} <b>${n > 0 ? `${num(n)} more` : 'none'}</b><small title="${why}">bound by ${escape(LEVELS[answer.binding.level])}${untold}</small>`;
}

function rack_row(rack, scale) {
  const of = (w) => (rack.capacity_w && w !== null ? (w / rack.capacity_w) * scale : 0);
  const seen = rack.observed_w.max;
  const more = rack.rated_w !== null && rack.rated_w > (seen ?? 0) ? `<i class="add ${rack.capacity_w && rack.rated_w > rack.capacity_w ? 'bad' : ''}" style="left:${of(seen)}%;width:${of(rack.rated_w) - of(seen)}%"></i>` : '';
  const budget = rack.budget_w === null ? '' : `<b style="left:${of(rack.budget_w)}%"></b>`;
  const bar = rack.capacity_w ? `<span class="track"><i style="width:${of(seen)}%"></i>${more}${budget}<b class="max" style="left:${scale}%"></b></span>` : '<span class="mute">its supply is not declared (capacity_w)</span>';
  const when = seen === null ? 'no readings' : `${moment(rack.max_at, now_ms())}${rack.coverage < 0.995 ? ` · ${coverage(rack.coverage)}` : ''}`;
  const also = `<span class="also"> · rated ${limit_kw(rack.rated_w)} · budget ${limit_kw(rack.budget_w)} · supply ${limit_kw(rack.capacity_w)}${THIN}kW</span>`;
  return `<li><span class="name"><a class="link" href="/racks/${encodeURIComponent(rack.key)}">${escape(rack.label)}</a><small class="mute">${escape([rack.room, `${rack.nodes} nodes`].filter(Boolean).join(' · '))}</small></span>
    <span class="bar">${bar}</span><span class="num seen"><b>${kw(seen, 1)}</b> <small class="mute">${when}</small>${also}</span><span class="num">${limit_kw(rack.rated_w)}</span><span class="num">${limit_kw(rack.budget_w)}</span><span class="num">${limit_kw(rack.capacity_w)}</span><span class="fit" data-rack="${escape(rack.key)}">${fit(rack)}</span></li>`;
}

function paint_racks() {
  if (!view.racks.length) { $('#racks-panel').empty({ what: 'No rack is declared', why: 'Racks, their supply and their nodes stand in the facility file.' }); return; }
  $('#racks-panel').ready({ heading: view.racks_title, age: view.window.label });
  const beyond = Math.max(1, ...view.racks.map((r) => (r.capacity_w ? Math.max(r.rated_w ?? 0, r.observed_w.max ?? 0, r.budget_w ?? 0) / r.capacity_w : 0)));
  const head = '<li class="head"><span>Rack</span><span></span><span class="num">observed max</span><span class="num">rated</span><span class="num">budget</span><span class="num">supply</span><span>fits</span></li>';
  $('#racks').innerHTML = head + view.racks.map((r) => rack_row(r, 100 / (beyond * 1.02))).join('');
  $('#fits-note').textContent = `More nodes of the model each rack holds most of, on the basis “${BASES[question().basis]}”, with the margin kept at supply, PDU and line.`;
}

function pdu_row(pdu) {
  const seen = pdu.observed_a.max;
  const scale = pdu.breaker_a ?? (seen ?? 1) * 1.25;
  const at = (a) => (a === null ? 0 : Math.min(100, (a / (scale * 1.03)) * 100));
  const limits = pdu.limit_a === null ? '' : `<b style="left:${at(pdu.limit_a)}%"></b><b class="max" style="left:${at(pdu.breaker_a)}%"></b>`;
  const place = [pdu.rack_label, pdu.feed && `feed ${pdu.feed}`].filter(Boolean).join(' · ');
  const sign = seen !== null && pdu.limit_a !== null && seen > pdu.limit_a ? `${icon('crit', 'crit')} ` : '';
  const share = seen === null ? 'tells no line current' : pdu.limit_a === null ? '' : `${pct((seen / pdu.limit_a) * 100)} of limit`;
  return `<li><span class="name"><a class="link" href="/devices/${encodeURIComponent(pdu.key)}">${escape(pdu.label)}</a><small class="mute">${escape(place)}</small></span>
    <span class="bar"><span class="track"><i style="width:${at(seen)}%"></i>${limits}</span></span>
    <span class="num">${sign}<b>${num(seen, 1)}</b>${pdu.limit_a === null ? `${THIN}A` : ` of ${num(pdu.limit_a, Number.isInteger(pdu.limit_a) ? 0 : 1)}${THIN}A`}<small class="mute">${share}</small></span>
    <span class="num w">${unit(kw(pdu.observed_w.max, 1), 'kW')}</span><span class="num va">${pdu.usable_va === null ? '<span class="mute">no volts declared</span>' : `of ${num(pdu.usable_va / 1000, 1)}${THIN}kVA`}</span></li>`;
}

function paint_pdus() {
  if (!view.pdus.length) { $('#pdus-panel').empty({ what: 'No PDU is declared', why: 'Devices of kind pdu, or with a breaker, are shown here.' }); return; }
  $('#pdus-panel').ready({ heading: view.pdus_title, age: view.window.label });
  $('#pdus').innerHTML = view.pdus.map(pdu_row).join('');
}

async function ask_fits() {
  const wanted = question();
  const mine = JSON.stringify([wanted.basis, wanted.margin_pct, view.window.label]);
  if (mine !== asked_for) fits = new Map();
  asked_for = mine;
  const waiting = view.racks.map((r) => r.key);
  const work = async () => {
    for (let key = waiting.shift(); key !== undefined && asked_for === mine; key = waiting.shift()) {
      const answer = await get(`/capacity/racks/${encodeURIComponent(key)}`, wanted).catch((problem) => ({ problem }));
      if (asked_for !== mine) return;
      fits.set(key, answer);
      const cell = document.querySelector(`.fit[data-rack="${CSS.escape(key)}"]`);
      if (cell) cell.innerHTML = fit({ key });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function total() {
  const sum = (key) => view.racks.reduce((all, r) => (r[key] === null ? all : all + r[key]), 0);
  $('#totals').textContent = view.racks.length ? `${limit_kw(sum('rated_w'))}${THIN}kW rated in ${limit_kw(sum('capacity_w'))}${THIN}kW of supply` : '';
}

function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  total(); paint_racks(); paint_pdus(); ask_fits();
  ask.offer(view);
}

const name = '/views/capacity';
const run = refresh(() => get(name, { window: read('window', '24h') }), paint, [$('#racks-panel'), $('#pdus-panel')], 120);
const ask = what_if(() => ({ basis: read('basis', 'observed_max'), from: view.window.start, to: view.window.end }));
const again = () => { paint_racks(); ask_fits(); ask.run(); };
choices($('#basis'), 'basis', BASES, 'observed_max', again);
choices($('#margin'), 'margin', MARGINS, '0', again);
choices($('#window'), 'window', WINDOWS, '24h', run);
$('#racks-panel').actions = () => [{ label: 'Open the answer', hint: 'JSON', run: () => window.open(path(name, { window: read('window', '24h') })) }];
