// @ts-check
// The facility page: its power against the usable capacity, the racks, the alerts, and what changed.
import { choices, read } from '../core/address.js';
import { get } from '../core/api.js';
import { $ } from '../core/dom.js';
import { moment, num, span, THIN } from '../core/format.js';
import { age_s, live, now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { alert_panel } from '../parts/alert_lines.js';
import {
  estimated,
  is_partial,
  known_kw,
  missing_bar,
  missing_text,
  together,
  undecided,
  update_power,
} from '../core/known_power.js';
import { MEASURES, NAMES, over, ranked, ranks, step } from '../parts/measures.js';
import { Panel } from '../parts/panel.js';
import { paint_facts, paint_missing, paint_total } from '../parts/site_power.js';
import { requested_window, window_controls } from '../time/window.js';
import { paint_site_curve, room_link } from '../parts/site_curve.js';

/** @import { FacilityView, LiveValues, RackTile } from '../answers.js' */

const MOST_SILENT = 6;
const ROOMY = 8; // racks in the longest row up to which tiles are large
const site_panel = $('.site', Panel);
const hall_panel = $('#hall-panel', Panel);
const worst_panel = $('#worst-panel', Panel);
const changes_panel = $('#changes-panel', Panel);
const devices_panel = $('#devices-panel', Panel);
const PANELS = [site_panel, hall_panel, worst_panel, changes_panel, devices_panel];

/** @type {FacilityView | null} */
let view = null;
const measure = () => MEASURES[read('measure', 'load')] ?? MEASURES.load;

/** @param {string} key */
const rack_link = (key) => `/racks/${encodeURIComponent(key)}`;

// ---- the racks --------------------------------------------------------------------------------
/**
 * @param {RackTile[]} racks
 * @param {(rack: RackTile) => string} key
 */
function grouped(racks, key) {
  /** @type {Map<string, RackTile[]>} */
  const groups = new Map();
  for (const rack of racks) groups.set(key(rack), [...(groups.get(key(rack)) ?? []), rack]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
}

/** @param {RackTile} rack */
function tile(rack) {
  const m = measure();
  const name = escape(rack.label);
  const value = m.value(rack);
  const lost = rack.known_w === null && m !== MEASURES.age;
  if (lost || value === null) {
    const why = lost ? 'no readings' : m.absent;
    const more = escape(missing_text(rack));
    return markup`
      <a class="tile ${lost ? 'lost' : 'none'}" href="${rack_link(rack.key)}" title="${name}: ${why}. ${more}">
      ${lost ? icon('lost') : ''}<span class="id">${name}</span><span class="v">–</span>
      <span class="of">${why}</span></a>
    `;
  }
  const flagged = over(m, rack);
  const partial = m.partial(rack);
  const amount = `${partial ? m.atleast : ''}${m.text(value)}${THIN}${m.unit}`;
  const notes = [name, amount, m.of(rack), partial && missing_text(rack), flagged && m.limit].filter(Boolean);
  return markup`
    <a class="tile q${step(m, rack)} ${flagged ? 'over' : ''} ${partial ? 'partial' : ''}" href="${rack_link(rack.key)}"
    style="${hatched(rack)}" title="${escape(notes.join(' · '))}">
    ${flagged ? icon('warn') : ''}${partial ? icon('lost') : ''}<span class="id">${name}</span>
    <span class="v">${partial ? `<small>${m.atleast === 'at most ' ? '≤' : '≥'}</small> ` : ''}${m.text(value)}
    <small>${m.unit === '%' ? '' : THIN}${m.unit}</small></span>
    <span class="of">${m.of(rack)}${below(rack)}</span></a>
  `;
}

/**
 * Return how wide the hatched part of a tile is: the last known share of its power.
 * @param {RackTile} rack
 */
function hatched({ known_w, last_known_w }) {
  if (!last_known_w) return '--miss:20%';
  return `--miss:${Math.max(8, Math.min(60, (100 * last_known_w) / ((known_w ?? 0) + last_known_w)))}%`;
}

/**
 * Return the second line of a tile: the estimate, or nodes that another source measures.
 * @param {RackTile} rack
 */
function below(rack) {
  const more = rack.usable_w === null ? '' : estimated(rack, rack.usable_w);
  if (more) return `<br>${more}`;
  return rack.substitutes.length ? `<br>${escape(rack.substitutes[0])}: not the wall` : '';
}

/** @param {[row: string, racks: RackTile[]]} row */
function hall_row([row, racks]) {
  const sorted = racks.sort((a, b) => (a.position ?? 0) - (b.position ?? 0) || a.label.localeCompare(b.label));
  return `<div class="hrow"><span class="rl">${escape(row)}</span>${sorted.map(tile).join('')}</div>`;
}

/** @param {FacilityView} view */
function paint_hall(view) {
  const rooms = grouped(view.racks, (r) => r.room ?? '').map(([room, racks]) => ({
    label: room_link(room, racks[0].room_label ?? room),
    power: together(racks),
    rows: grouped(racks, (r) => r.row ?? ''),
  }));
  const longest = Math.max(...rooms.flatMap(({ rows }) => rows.map(([, racks]) => racks.length)));
  const hall = $('#hall');
  hall.classList.toggle('roomy', longest <= ROOMY);
  hall.style.setProperty('--columns', String(longest));
  hall.style.setProperty('--tile', longest <= ROOMY ? '132px' : '56px');
  hall.innerHTML = rooms
    .map(({ label, power, rows }) => {
      const amount =
        power.known_w === null ? '' : ` · ${is_partial(power) ? 'at least ' : ''}${known_kw(power, 1)}${THIN}kW`;
      const heading =
        rooms.length > 1 || label ? `<h3 title="${escape(missing_text(power))}">${label}${amount}</h3>` : '';
      return `<section>${heading}<div class="hrows">${rows.map(hall_row).join('')}</div></section>`;
    })
    .join('');
  hall_panel.heading = view.titles[measure().name];
  const open = view.undecided[measure().name];
  $('#undecided').hidden = !open;
  $('#undecided').innerHTML = undecided(open);
}

function paint_legend() {
  const m = measure();
  const [below, above] = m.falling ? ['>', '≤'] : ['<', '≥'];
  const bounds = [`${below} ${m.steps[0]}`, ...m.steps.map((s) => `${above} ${s}`)];
  const ramp = bounds.map((text, i) => `<span><i style="background:var(--q${i})"></i>${text}</span>`);
  $('#legend').innerHTML = markup`
    <span><b>${m.label}</b>, ${m.basis}</span><span class="ramp">${ramp.join('')}</span>
    <span class="sw"><i class="frame"></i>${icon('warn')} ${m.limit}</span>
    <span class="sw"><i class="lost"></i>no readings</span>
    <span class="sw"><i class="h"></i>not measured: share of the last known value</span>
  `;
}

/** @param {FacilityView} view */
function paint_worst({ racks, worst_titles }) {
  const m = measure();
  const rows = ranked(m, racks).slice(0, 9);
  if (!rows.length) {
    const silent = racks.every((r) => r.known_w === null);
    const why = silent ? 'No rack is responding.' : `No rack has ${m.absent.replace(/^no /, '')} now.`;
    worst_panel.empty({ what: 'Nothing to rank', why });
    return;
  }
  worst_panel.ready({ heading: worst_titles[m.name], unit: m.short });
  const all = ranked(m, racks);
  const order = ranks(m, all);
  const open = all.some((r) => m.partial(r));
  const mark = m.mark ? `<b style="left:${m.mark}%"></b>` : '';
  $('#worst').classList.toggle('ranked', open);
  $('#worst').innerHTML = rows
    .map(
      (r, i) => markup`
        <li>${open ? `<span class="rk">${order[i]}</span>` : ''}
        <a href="${rack_link(r.key)}"><b>${escape(r.label)}</b></a>
        <span class="track"><i style="width:${Math.min(100, m.bar(r))}%"></i>
        ${m === MEASURES.load && r.usable_w !== null ? missing_bar(r, r.usable_w) : ''}${mark}</span>
        <span class="num">${over(m, r) ? icon('warn', 'warn') : ''}
        ${' '}<b>${m.partial(r) ? (m.falling ? '≤' : '≥') : ''}${m.text(m.value(r) ?? 0)}${THIN}${m.unit}</b></span>
        <span class="num mute">${m.of(r)}${r.usable_w === null ? '' : small(estimated(r, r.usable_w))}</span></li>
      `,
    )
    .join('');
  $('#worst-note').textContent = open
    ? 'Ordered by what is known. A place such as 1–2 means: the missing part decides.'
    : '';
}

/** @param {string} text */
const small = (text) => (text ? `<small>${text}</small>` : '');

function paint_racks() {
  if (!view) return;
  paint_hall(view);
  paint_legend();
  paint_worst(view);
}

// ---- what changed, devices ---------------------------------------------------------------------
/** @type {Record<string, string>} */
const SIGN = {
  job_started: 'start',
  job_ended: 'stop',
  device_lost: 'lost',
  device_back: 'ok',
  warning: 'warn',
  critical: 'crit',
};

/** @param {FacilityView['changes'][number]} c */
function change_row(c) {
  const what = escape(c.what);
  const link = c.href ? `<a class="link" href="${escape(c.href)}">${what}</a>` : `<b>${what}</b>`;
  return markup`
    <tr><td class="mute">${moment(c.t, now_ms())}</td><td>${icon(SIGN[c.kind] ?? 'info')} ${link}</td>
    <td class="w">${escape(c.text)}</td></tr>
  `;
}

/** @param {FacilityView} view */
function paint_changes({ changes }) {
  if (!changes.length) {
    const why = 'Jobs, lost devices and meter events appear here.';
    changes_panel.empty({ what: 'No changes in the last 24 h', why });
    return;
  }
  changes_panel.ready();
  $('#changes').innerHTML = `<table class="changes"><tbody>${changes.map(change_row).join('')}</tbody></table>`;
}

/** @param {FacilityView['devices']['silent'][number]} d */
function silent_row({ key, since, reason }) {
  const name = `<a class="link" href="/devices/${encodeURIComponent(key)}">${escape(key)}</a>`;
  const when = since ? `no readings since ${moment(since, now_ms())}` : 'never responded';
  return markup`
    <li>${icon('lost', 'warn')}<div>${name}<small>${when}${reason ? ` · ${escape(reason)}` : ''}</small></div>
    <span class="mute">${since ? span(age_s(since)) : ''}</span></li>
  `;
}

/** @param {FacilityView} view */
function paint_devices({ devices: { title, count: all, answering, failures, silent, never } }) {
  if (!all) {
    devices_panel.empty({ what: 'No devices yet', why: 'Load a facility file with wattline apply.' });
    return;
  }
  devices_panel.ready({ heading: title, unit: silent.length ? `of ${all}` : '' });
  const waiting = never ? `<dt>${icon('info')} waiting</dt><dd>${never} without a reading so far</dd>` : '';
  const rows = silent.slice(0, MOST_SILENT).map(silent_row);
  const more = silent.length - rows.length;
  $('#devices').innerHTML = markup`
    <dl class="kv"><dt>${icon('ok', 'ok')} responding</dt><dd><b>${answering}</b> of ${all}</dd>
    <dt>failed polls</dt><dd>${num(failures)} <span class="mute">in 24 h, none stored as a reading</span></dd>
    ${waiting}</dl>
    ${rows.length ? `<ul class="list silent">${rows.join('')}</ul>` : ''}
    ${more > 0 ? `<p class="note">and ${more} more</p>` : ''}
  `;
}

// ---- together -----------------------------------------------------------------------------------
/** @param {FacilityView} answer */
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  if (!view.racks.length) {
    const why = 'Racks appear here after wattline apply loads a facility file.';
    PANELS.forEach((p) => p.empty({ what: 'No racks yet', why }));
    return;
  }
  PANELS.forEach((p) => p.ready());
  paint_site_curve(site_panel, view, zoom);
  site_panel.age = paint_total(view);
  paint_facts(view);
  paint_racks();
  paint_missing(view);
  paint_changes(view);
  paint_devices(view);
}

/** @param {LiveValues} values */
function update(values) {
  if (!view) return;
  let changed = false;
  for (const rack of view.racks) {
    const now = values.racks?.[rack.key];
    if (now) changed = update_power(rack, now) || changed;
  }
  site_panel.age = paint_total(view);
  paint_racks();
  if (changed) run(); // the titles and the list of what is missing
}

choices($('#measure'), 'measure', NAMES, 'load', paint_racks);
const zoom = window_controls(() => run());
const run = refresh(() => get('/facility', requested_window()), paint, PANELS);
live({}, update);
alert_panel($('#alerts-panel', Panel), $('#alerts'));
setInterval(() => {
  if (measure() === MEASURES.age) paint_racks();
}, 1000);
