// The facility page: what it draws now against what it may, the hall, and what needs a look.
import { choices, read } from '../core/address.js';
import { alert_panel } from '../parts/alert_lines.js';
import { get, path } from '../core/api.js';
import { clock, coverage, escape, icon, kw, limit_kw, moment, num, pct, span, THIN, unit } from '../core/format.js';
import { MEASURES, NAMES, over, ranked, step } from '../parts/measures.js';
import { live, now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';

const $ = (selector) => document.querySelector(selector);
const panel = (element) => element.closest('wl-panel');
const MOST_SILENT = 6;
const ROOMY = 8;                                               // tiles in the longest row up to which they are drawn large

const PANELS = [...document.querySelectorAll('wl-panel:not(#alerts-panel)')];   // that one asks for itself

let view = null;
const measure = () => MEASURES[read('measure', 'load')] ?? MEASURES.load;
const rack_link = (key) => `/racks/${encodeURIComponent(key)}`;
const large = (watts) => (watts === null ? 0 : watts < 100e3 ? 1 : 0);

// ---- the site --------------------------------------------------------------------------------
function paint_total() {
  const drawing = view.racks.filter((r) => r.power_w !== null);
  const total = drawing.length ? drawing.reduce((sum, r) => sum + r.power_w, 0) : null;
  const { usable_w, delta_hour_w, max_w } = view.total;
  $('#total').innerHTML = unit(kw(total, large(total)), 'kW');
  $('#delta').textContent = delta_hour_w === null ? '' : `${delta_hour_w >= 0 ? '+' : ''}${kw(delta_hour_w, large(delta_hour_w))}${THIN}kW in the last hour`;
  panel($('#total')).age = `${drawing.length} of ${view.racks.length} racks answering`;
  paint_share(total, usable_w, max_w);
}

function paint_share(total, usable, max) {
  if (usable === null) {
    $('#share').innerHTML = '<span class="note">No usable capacity is declared for these racks (capacity_w of a rack, or breakers of its PDUs).</span>';
    return;
  }
  const share = (w) => (w / usable) * 100;
  $('#share').innerHTML = `<div class="soft">Usable capacity</div>
    <div class="mid">${pct(total === null ? null : share(total))}<span class="u"> of ${limit_kw(usable)}${THIN}kW</span></div>
    <span class="track"><i style="width:${Math.min(100, share(total ?? 0))}%"></i>${max === null ? '' : `<b class="max" style="left:${Math.min(100, share(max))}%"></b>`}</span>
    <div class="marks note">${max === null ? '' : `<span class="mark"><i></i>24 h max ${pct(share(max))}</span>`}<span>bar end = usable</span></div>
    ${max === null ? '' : `<dl class="kv"><dt>Headroom</dt><dd><b>${kw(usable - max, large(usable))}${THIN}kW</b> over the 24 h max</dd></dl>`}`;
}

function paint_facts() {
  const { max_w, max_at, energy_j, coverage: share, gaps } = view.total;
  $('#facts').innerHTML = `<dt>24 h max</dt><dd>${kw(max_w, large(max_w))} kW${max_at ? ` at ${clock(max_at)}` : ''}</dd>
    <dt>24 h energy</dt><dd>${energy_j === null ? '–' : energy_j < 3.6e9 ? `${num(energy_j / 3.6e6, 1)} kWh` : `${num(energy_j / 3.6e9, 2)} MWh`}</dd>
    <dt>coverage</dt><dd>${coverage(share)} <span class="mute">${gaps ? `${gaps} ${gaps === 1 ? 'gap' : 'gaps'}` : ''}</span></dd>`;
}

// ---- the hall ---------------------------------------------------------------------------------
const group = (items, key) => {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
};

function tile(rack) {
  const m = measure();
  const name = escape(rack.label);
  if (rack.power_w === null && m !== MEASURES.age) {
    return `<a class="tile lost" href="${rack_link(rack.key)}" title="${name}: no readings">${icon('lost')}<span class="id">${name}</span><span class="v">–</span><span class="of">no readings</span></a>`;
  }
  const value = m.value(rack);
  if (value === null) {
    return `<a class="tile none" href="${rack_link(rack.key)}" title="${name}: ${m.absent}"><span class="id">${name}</span><span class="v">–</span><span class="of">${m.absent}</span></a>`;
  }
  const flagged = over(m, rack);
  const words = `${name} · ${m.text(value)}${THIN}${m.unit} · ${m.of(rack)}`;
  return `<a class="tile q${step(m, rack)} ${flagged ? 'over' : ''}" href="${rack_link(rack.key)}" title="${words}${flagged ? ` · ${m.limit}` : ''}">
    ${flagged ? icon('warn') : ''}<span class="id">${name}</span><span class="v">${m.text(value)}<small>${m.unit === '%' ? '%' : `${THIN}${m.unit}`}</small></span><span class="of">${m.of(rack)}</span></a>`;
}

function paint_hall() {
  const rooms = group(view.racks, (r) => r.room ?? '');
  const rows = rooms.flatMap(([, racks]) => group(racks, (r) => r.row ?? ''));
  const longest = Math.max(...rows.map(([, racks]) => racks.length));
  const hall = $('#hall');
  hall.classList.toggle('roomy', longest <= ROOMY);
  hall.style.setProperty('--columns', longest);
  hall.style.setProperty('--tile', longest <= ROOMY ? '132px' : '56px');
  hall.innerHTML = rooms.map(([room, racks]) => `<section>${rooms.length > 1 || room ? `<h3>${escape(racks[0].room_label ?? room)}</h3>` : ''}
    <div class="hrows">${group(racks, (r) => r.row ?? '').map(([row, members]) => `<div class="hrow"><span class="rl">${escape(row)}</span>
      ${members.sort((a, b) => (a.position ?? 0) - (b.position ?? 0) || a.label.localeCompare(b.label)).map(tile).join('')}</div>`).join('')}</div></section>`).join('');
  panel(hall).heading = view.titles[measure().name];
}

function paint_legend() {
  const m = measure();
  const words = m.steps.map((s) => `${m.falling ? '≤' : '≥'} ${s}`);
  const first = `${m.falling ? '>' : '<'} ${m.steps[0]}`;
  $('#legend').innerHTML = `<span><b>${m.label}</b>, ${m.basis}</span>
    <span class="ramp">${[first, ...words].map((w, i) => `<span><i style="background:var(--q${i})"></i>${w}</span>`).join('')}</span>
    <span class="sw"><i class="frame"></i>${icon('warn')} ${m.limit}</span><span class="sw"><i class="lost"></i>no readings</span>`;
}

function paint_worst() {
  const m = measure();
  const rows = ranked(m, view.racks).slice(0, 9);
  if (!rows.length) { $('#worst-panel').empty({ what: 'Nothing to rank', why: view.racks.every((r) => r.power_w === null) ? 'No rack answers now.' : `No rack has ${m.absent.replace(/^no /, '')} now.` }); return; }
  $('#worst-panel').ready({ heading: view.worst_titles[m.name], unit: m.short });
  $('#worst').innerHTML = rows.map((r) => `<li><a href="${rack_link(r.key)}"><b>${escape(r.label)}</b></a>
    <span class="track"><i style="width:${Math.min(100, m.bar(r))}%"></i>${m.mark ? `<b style="left:${m.mark}%"></b>` : ''}</span>
    <span class="num">${over(m, r) ? icon('warn', 'warn') : ''} <b>${m.text(m.value(r))}${THIN}${m.unit}</b></span><span class="num mute">${m.of(r)}</span></li>`).join('');
}

const paint_racks = () => { paint_hall(); paint_legend(); paint_worst(); };

// ---- what changed, devices ---------------------------------------------------------------------
const SIGN = { job_started: 'start', job_ended: 'stop', device_lost: 'lost', device_back: 'ok', warning: 'warn', critical: 'crit' };

function paint_changes() {
  const rows = view.changes;
  if (!rows.length) { $('#changes-panel').empty({ what: 'Nothing changed in the last 24 h', why: 'Jobs, lost devices and events of meters appear here.' }); return; }
  $('#changes-panel').ready();
  $('#changes').innerHTML = `<table class="changes"><tbody>${rows.map((c) => `<tr><td class="mute">${moment(c.t, now_ms())}</td>
    <td>${icon(SIGN[c.kind] ?? 'info')} ${c.href ? `<a class="link" href="${escape(c.href)}">${escape(c.what)}</a>` : `<b>${escape(c.what)}</b>`}</td><td class="w">${escape(c.text)}</td></tr>`).join('')}</tbody></table>`;
}

function paint_devices() {
  const { count, answering, failures, silent, never } = view.devices;
  if (!count) { $('#devices-panel').empty({ what: 'No devices yet', why: 'Load a facility file with wattline apply.' }); return; }
  $('#devices-panel').ready({ heading: view.devices.title, unit: silent.length ? `of ${count}` : '' });
  $('#devices').innerHTML = `<dl class="kv"><dt>${icon('ok', 'ok')} answering</dt><dd><b>${answering}</b> of ${count}</dd>
    <dt>failed polls</dt><dd>${num(failures)} <span class="mute">in 24 h, none stored as a reading</span></dd>
    ${never ? `<dt>${icon('info')} waiting</dt><dd>${never} without a reading so far</dd>` : ''}</dl>
    ${silent.length ? `<ul class="list silent">${silent.slice(0, MOST_SILENT).map((d) => `<li>${icon('lost', 'warn')}<div>${d.rack ? `<a class="link" href="${rack_link(d.rack)}">${escape(d.key)}</a>` : escape(d.key)}
      <small>${d.since ? `no readings since ${moment(d.since, now_ms())}` : 'never answered'}${d.reason ? ` · ${escape(d.reason)}` : ''}</small></div>
      <span class="mute">${d.since ? span((now_ms() - Date.parse(d.since)) / 1000) : ''}</span></li>`).join('')}</ul>` : ''}
    ${silent.length > MOST_SILENT ? `<p class="note">and ${silent.length - MOST_SILENT} more</p>` : ''}`;
}

// ---- together -----------------------------------------------------------------------------------
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  if (!view.racks.length) {
    PANELS.forEach((p) => p.empty({ what: 'No racks yet', why: 'Load a facility file with wattline apply, and its racks appear here.' }));
    return;
  }
  PANELS.forEach((p) => p.ready());
  $('.site').figure($('#day'), view.figures.day, { source: path('/facility') });
  $('.site').ready({ heading: view.title });
  paint_total(); paint_facts(); paint_racks(); paint_changes(); paint_devices();
}

function update(values) {
  if (!view) return;
  for (const rack of view.racks) {
    const now = values.racks?.[rack.key];
    if (now) Object.assign(rack, { power_w: now.power_w, t: now.t });
  }
  paint_total(); paint_racks();
}

choices($('#measure'), 'measure', NAMES, 'load', () => view && paint_racks());
refresh(() => get('/facility'), paint, PANELS);
live({}, update);
alert_panel($('#alerts-panel'), $('#alerts'));
setInterval(() => { if (view && measure() === MEASURES.age) paint_racks(); }, 1000);
