// The rack page: who draws what, against which limits, and what still fits.
import { choices, key_of_page, read, write } from '../core/address.js';
import { alert_strip } from '../parts/alert_lines.js';
import { get, path } from '../core/api.js';
import { elevation, update_slots } from '../parts/elevation.js';
import { feeds } from '../parts/feeds.js';
import { escape, kw, limit_kw, moment, pct, THIN, unit } from '../core/format.js';
import { happened } from '../parts/events_table.js';
import { headroom } from '../parts/headroom.js';
import { live, now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';

const $ = (selector) => document.querySelector(selector);
const KEY = key_of_page();
const name = `/views/rack/${encodeURIComponent(KEY)}`;
const WINDOWS = { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' };
const wanted = () => ({ window: read('window', '24h'), margin: read('margin'), from: read('from'), to: read('to') });
let view = null;
$('#name').textContent = KEY;

function zoom(from, to) {
  write({ from: from && new Date(from).toISOString(), to: to && new Date(to).toISOString() });
  run();
}

function paint_head() {
  $('#whole').hidden = !read('from');
  const { rack, draw } = view;
  document.title = `${rack.label} · Wattline`;
  $('#name').textContent = rack.label;
  const places = [rack.room_label, rack.row && `row ${rack.row}`].filter(Boolean);
  $('#crumb').innerHTML = `<a href="/">Facility</a> /${places.map((p) => ` ${escape(p)} /`).join('')}`;
  $('#now').innerHTML = unit(kw(draw.power_w, 1), 'kW');
  $('#of').textContent = draw.usable_w === null ? '' : `of ${limit_kw(draw.usable_w)}${THIN}kW usable · ${pct(draw.power_w === null ? null : (draw.power_w / draw.usable_w) * 100)}`;
}

function paint_stack() {
  $('#stack-panel').figure($('#stack'), view.figures.stack, {
    source: path(name, wanted()), age: view.window.label,
    zoom,
  });
  $('#stack-notes').textContent = (view.figures.stack.notes ?? []).join(' ');
}

function paint_jobs() {
  if (!view.jobs.length) { $('#jobs-panel').empty({ what: 'No job runs here now', why: 'Jobs appear as the scheduler or wattline run registers them.', links: [{ label: 'All jobs', href: '/jobs' }] }); return; }
  $('#jobs-panel').ready({ heading: view.jobs.length === 1 ? 'One job runs here' : `${view.jobs.length} jobs run here` });
  $('#jobs').innerHTML = view.jobs.map((j) => `<li><div><a class="link" href="/jobs/${encodeURIComponent(j.id)}">${escape(j.name || j.id)}</a>
    <small>${escape([j.user, j.nodes.join(', ')].filter(Boolean).join(' · '))}</small></div><span class="mute num">since ${moment(j.start, now_ms())}</span></li>`).join('');
}

function paint_events() {
  if (!view.events.length) { $('#events-panel').empty({ what: 'Nothing happened', why: `No device of this rack told of anything in ${view.window.label}.`, links: [{ label: 'Devices', href: '/devices' }] }); return; }
  $('#events-panel').ready({ unit: view.events.length === 20 ? 'the newest 20' : '' });
  $('#events').innerHTML = happened(view.events, { devices: true });
}

function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_head(); paint_stack(); paint_jobs(); paint_events();
  elevation($('#elevation'), view);
  headroom($('#headroom'), view.headroom, run);
  feeds(view.feeds);
}

function update(values) {
  if (!view) return;
  const rack = values.racks?.[KEY];
  if (rack) Object.assign(view.draw, { power_w: rack.power_w, t: rack.t });
  for (const node of view.nodes) {
    const now = values.nodes?.[node.key];
    if (now) Object.assign(node, { power_w: now.power_w, t: now.t });
  }
  paint_head(); update_slots($('#elevation'), view);
}

$('#whole').addEventListener('click', () => zoom(null, null));
choices($('#window'), 'window', WINDOWS, '24h', () => zoom(null, null));
const run = refresh(() => get(name, wanted()), paint, [...document.querySelectorAll('wl-panel')], 20);   // line currents are not in the stream
live({ rack: KEY }, update);
alert_strip($('#alerts'), { rack: KEY });
