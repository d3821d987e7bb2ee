// @ts-check
// The facility page: its power against the usable capacity, the racks, the alerts, and what changed.
import { choices, read } from '../core/address.js';
import { get, path } from '../core/api.js';
import { $ } from '../core/dom.js';
import { clock, count, coverage, kw, limit_kw, moment, num, pct, span, THIN } from '../core/format.js';
import { age_s, live, now_ms } from '../core/live.js';
import { escape, icon, markup, unit } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { alert_panel } from '../parts/alert_lines.js';
import { MEASURES, NAMES, over, ranked, step } from '../parts/measures.js';
import { Panel } from '../parts/panel.js';

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

/** @param {number | null} watts */
const decimals = (watts) => (watts !== null && watts < 100e3 ? 1 : 0);

// ---- the site --------------------------------------------------------------------------------
/** @param {FacilityView} view */
function paint_total({ racks, total: { usable_w, delta_hour_w, max_w } }) {
  const powers = racks.flatMap((r) => r.power_w ?? []);
  const total = powers.length ? powers.reduce((sum, w) => sum + w, 0) : null;
  $('#total').innerHTML = unit(kw(total, decimals(total)), 'kW');
  const change = kw(delta_hour_w, decimals(delta_hour_w));
  const sign = (delta_hour_w ?? 0) >= 0 ? '+' : '';
  $('#delta').textContent = delta_hour_w === null ? '' : `${sign}${change}${THIN}kW in the last hour`;
  site_panel.age = `${powers.length} of ${racks.length} racks responding`;
  $('#share').innerHTML = usable_w === null ? no_capacity() : share_of(usable_w, total, max_w);
}

const no_capacity = () => markup`
  <span class="note">No usable capacity is declared for these racks
  (capacity_w of a rack, or breakers of its PDUs).</span>
`;

/**
 * @param {number} usable
 * @param {number | null} total
 * @param {number | null} max
 */
function share_of(usable, total, max) {
  /** @param {number} w */
  const share = (w) => (w / usable) * 100;
  const width = Math.min(100, share(total ?? 0));
  const mark = max === null ? '' : `<b class="max" style="left:${Math.min(100, share(max))}%"></b>`;
  const max_mark = max === null ? '' : `<span class="mark"><i></i>24 h max ${pct(share(max))}</span>`;
  const left = max === null ? null : usable - max;
  return markup`
    <div class="soft">Usable capacity</div>
    <div class="mid">${pct(total === null ? null : share(total))}
    <span class="u"> of ${limit_kw(usable)}${THIN}kW</span></div>
    <span class="track"><i style="width:${width}%"></i>${mark}</span>
    <div class="marks note">${max_mark}<span>bar end = usable</span></div>
    ${left === null ? '' : headroom(left)}
  `;
}

/** @param {number} left */
const headroom = (left) => markup`
  <dl class="kv"><dt>Headroom</dt><dd><b>${kw(left, decimals(left))}${THIN}kW</b> above the 24 h max</dd></dl>
`;

/** @param {number | null} joules */
function energy(joules) {
  if (joules === null) return '–';
  return joules < 3.6e9 ? `${num(joules / 3.6e6, 1)} kWh` : `${num(joules / 3.6e9, 2)} MWh`;
}

/** @param {FacilityView} view */
function paint_facts({ total: { max_w, max_at, energy_j, coverage: share, gaps } }) {
  $('#facts').innerHTML = markup`
    <dt>24 h max</dt><dd>${kw(max_w, decimals(max_w))} kW${max_at ? ` at ${clock(max_at)}` : ''}</dd>
    <dt>24 h energy</dt><dd>${energy(energy_j)}</dd>
    <dt>coverage</dt><dd>${coverage(share)} <span class="mute">${gaps ? count(gaps, 'gap') : ''}</span></dd>
  `;
}

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
  const lost = rack.power_w === null && m !== MEASURES.age;
  if (lost || value === null) {
    const why = lost ? 'no readings' : m.absent;
    return markup`
      <a class="tile ${lost ? 'lost' : 'none'}" href="${rack_link(rack.key)}" title="${name}: ${why}">
      ${lost ? icon('lost') : ''}<span class="id">${name}</span><span class="v">–</span>
      <span class="of">${why}</span></a>
    `;
  }
  const flagged = over(m, rack);
  const title = [name, `${m.text(value)}${THIN}${m.unit}`, m.of(rack), flagged && m.limit].filter(Boolean).join(' · ');
  return markup`
    <a class="tile q${step(m, rack)} ${flagged ? 'over' : ''}" href="${rack_link(rack.key)}" title="${title}">
    ${flagged ? icon('warn') : ''}<span class="id">${name}</span>
    <span class="v">${m.text(value)}<small>${m.unit === '%' ? '' : THIN}${m.unit}</small></span>
    <span class="of">${m.of(rack)}</span></a>
  `;
}

/** @param {[row: string, racks: RackTile[]]} row */
function hall_row([row, racks]) {
  const sorted = racks.sort((a, b) => (a.position ?? 0) - (b.position ?? 0) || a.label.localeCompare(b.label));
  return `<div class="hrow"><span class="rl">${escape(row)}</span>${sorted.map(tile).join('')}</div>`;
}

/** @param {FacilityView} view */
function paint_hall(view) {
  const rooms = grouped(view.racks, (r) => r.room ?? '').map(([room, racks]) => ({
    label: racks[0].room_label ?? room,
    rows: grouped(racks, (r) => r.row ?? ''),
  }));
  const longest = Math.max(...rooms.flatMap(({ rows }) => rows.map(([, racks]) => racks.length)));
  const hall = $('#hall');
  hall.classList.toggle('roomy', longest <= ROOMY);
  hall.style.setProperty('--columns', String(longest));
  hall.style.setProperty('--tile', longest <= ROOMY ? '132px' : '56px');
  hall.innerHTML = rooms
    .map(({ label, rows }) => {
      const heading = rooms.length > 1 || label ? `<h3>${escape(label)}</h3>` : '';
      return `<section>${heading}<div class="hrows">${rows.map(hall_row).join('')}</div></section>`;
    })
    .join('');
  hall_panel.heading = view.titles[measure().name];
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
  `;
}

/** @param {FacilityView} view */
function paint_worst({ racks, worst_titles }) {
  const m = measure();
  const rows = ranked(m, racks).slice(0, 9);
  if (!rows.length) {
    const silent = racks.every((r) => r.power_w === null);
    const why = silent ? 'No rack is responding.' : `No rack has ${m.absent.replace(/^no /, '')} now.`;
    worst_panel.empty({ what: 'Nothing to rank', why });
    return;
  }
  worst_panel.ready({ heading: worst_titles[m.name], unit: m.short });
  const mark = m.mark ? `<b style="left:${m.mark}%"></b>` : '';
  $('#worst').innerHTML = rows
    .map(
      (r) => markup`
        <li><a href="${rack_link(r.key)}"><b>${escape(r.label)}</b></a>
        <span class="track"><i style="width:${Math.min(100, m.bar(r))}%"></i>${mark}</span>
        <span class="num">${over(m, r) ? icon('warn', 'warn') : ''}
        ${' '}<b>${m.text(m.value(r) ?? 0)}${THIN}${m.unit}</b></span>
        <span class="num mute">${m.of(r)}</span></li>
      `,
    )
    .join('');
}

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
function silent_row({ key, rack, since, reason }) {
  const name = rack ? `<a class="link" href="${rack_link(rack)}">${escape(key)}</a>` : escape(key);
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
  site_panel.figure($('#day'), view.figures.day, { source: path('/facility') });
  site_panel.ready({ heading: view.title });
  paint_total(view);
  paint_facts(view);
  paint_racks();
  paint_changes(view);
  paint_devices(view);
}

/** @param {LiveValues} values */
function update(values) {
  if (!view) return;
  for (const rack of view.racks) {
    const now = values.racks?.[rack.key];
    if (now) Object.assign(rack, { power_w: now.power_w, t: now.t });
  }
  paint_total(view);
  paint_racks();
}

choices($('#measure'), 'measure', NAMES, 'load', paint_racks);
refresh(() => get('/facility'), paint, PANELS);
live({}, update);
alert_panel($('#alerts-panel', Panel), $('#alerts'));
setInterval(() => {
  if (measure() === MEASURES.age) paint_racks();
}, 1000);
