// @ts-check
// The rack page: the power of each node, the limits, and how many nodes still fit.
import { key_of_page, read } from '../core/address.js';
import { as_problem, get, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { kw, moment, THIN } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { escape, job_href, markup, unit } from '../core/markup.js';
import { refresh, reload_changed } from '../core/refresh.js';
import { alert_strip } from '../parts/alert_lines.js';
import { elevation, update_slots } from '../parts/elevation.js';
import { events_table } from '../parts/events_table.js';
import { feeds, stated_loads, update_lines } from '../parts/feeds.js';
import { headroom } from '../capacity/headroom.js';
import { is_partial, known_kw, missing_line, of_usable, update_power } from '../core/known_power.js';
import { Panel } from '../parts/panel.js';
import { paint_compared } from '../time/week_before.js';
import { curve_files } from '../time/curve_files.js';
import { requested_window, window_controls } from '../time/window.js';

/** @import { LiveValues, RackView } from '../answers.js' */

const KEY = key_of_page();
const REFRESH_S = 60; // what the stream does not have: limits, failover, jobs, events
const name = `/views/rack/${encodeURIComponent(KEY)}`;
const wanted = () => ({ ...requested_window(), margin: read('margin') });
/** @type {RackView | null} */
let view = null;
$('#name').textContent = KEY;

/** @param {RackView} view */
function paint_head({ rack, draw, nodes }) {
  document.title = `${rack.label} · Wattline`;
  $('#name').textContent = rack.label;
  const places = [rack.room_label, rack.row && `row ${rack.row}`].filter(Boolean);
  fill($('#crumb'), `<a href="/">Facility</a> /${places.map((p) => ` ${escape(p)} /`).join('')}`);
  const partial = is_partial(draw) && draw.known_w !== null;
  fill($('#now'), `${partial ? '<small>at least</small> ' : ''}${unit(known_kw(draw, 1), 'kW')}`);
  $('#of').textContent = of_usable(draw, draw.usable_w);
  const others = nodes
    .filter((n) => n.instead_of)
    .map((n) => `${n.label} by ${n.source === 'bmc' ? 'its BMC' : 'Σ GPU'}`);
  const lines = [
    missing_line(draw),
    others.length ? `<span>${escape(`${others.join(', ')}, not by the wall`)}</span>` : '',
  ];
  fill($('#missing'), lines.filter(Boolean).join(' · '));
  const other = draw.other_w !== null && Math.abs(draw.other_w) >= 50 ? draw.other_w : null;
  $('#other').textContent = other === null ? '' : `${kw(other)}${THIN}kW of it beyond the nodes below`;
}

/** @param {RackView} view */
function paint_stack({ figures: { stack }, window }) {
  paint_compared(stack, `/racks/${encodeURIComponent(KEY)}/curve`, {}, (figure, note) => {
    $('#stack-panel', Panel).figure($('#stack'), figure, { source: path(name, wanted()), age: window.label, zoom });
    $('#stack-notes').textContent = [note, ...(stack.notes ?? [])].filter(Boolean).join(' ');
  });
}

/** @param {RackView['jobs'][number]} j */
const job_row = (j) => markup`
  <li><div><a class="link" ${job_href(j.id)}>${escape(j.name || j.id)}</a>
  <small>${escape([j.user, j.nodes.join(', ')].filter(Boolean).join(' · '))}</small></div>
  <span class="mute num">since ${moment(j.start, now_ms())}</span></li>
`;

/** @param {RackView} view */
function paint_jobs({ jobs }) {
  const panel = $('#jobs-panel', Panel);
  if (!jobs.length) {
    panel.empty({
      what: 'No running jobs',
      why: 'Jobs appear when the scheduler or wattline run registers them.',
      links: [{ label: 'All jobs', href: '/jobs' }],
    });
    return;
  }
  panel.ready({ heading: jobs.length === 1 ? 'One running job' : `${jobs.length} running jobs` });
  fill($('#jobs'), jobs.map(job_row).join(''));
}

/** @param {RackView} view */
function paint_events({ events, window }) {
  const panel = $('#events-panel', Panel);
  if (!events.length) {
    panel.empty({
      what: 'No events',
      why: `No events from this rack in ${window.label}.`,
      links: [{ label: 'Devices', href: '/devices' }],
    });
    return;
  }
  panel.ready({ unit: events.length === 20 ? 'the newest 20' : '' });
  fill($('#events'), events_table(events, { devices: true }));
}

/** @type {import('../answers.js').CapacityAnswer | import('../core/api.js').Problem | null} */
let fits = null;
let fits_margin = '';

/** @param {RackView} view */
function paint_headroom(view) {
  const partial = is_partial(view.draw);
  headroom($('#headroom'), $('#headroom-panel', Panel), view.headroom, { answer: fits, partial }, run);
  elevation($('#elevation'), $('#elevation-panel', Panel), view, fits && 'additional_nodes' in fits ? fits : null);
}

/** @param {RackView} view  the margin of the answer is that of the view */
async function load_fit(view) {
  const { margin_pct, empty } = view.headroom;
  if (empty) return;
  const { from, to } = view.window;
  if (fits_margin !== String(margin_pct)) fits = null;
  fits_margin = String(margin_pct);
  const answer = await get(`/capacity/racks/${encodeURIComponent(KEY)}`, { margin_pct, from, to }).catch(as_problem);
  if (fits_margin !== String(margin_pct)) return;
  fits = answer;
  paint_headroom(view);
}

/** @param {RackView} answer */
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_head(view);
  paint_stack(view);
  paint_jobs(view);
  paint_events(view);
  paint_headroom(view);
  feeds(view.feeds);
  load_fit(view);
}

/** @param {LiveValues} values */
function update(values) {
  if (!view) return;
  const rack = values.racks?.[KEY];
  const changed = rack ? update_power(view.draw, rack) : false;
  for (const node of view.nodes) {
    const now = values.nodes?.[node.key];
    if (now) update_power(node, now);
  }
  for (const pdu of view.feeds.pdus ?? []) {
    const now = values.pdus?.[pdu.key];
    if (now) update_power(pdu, now);
  }
  update_lines(view.feeds, values);
  paint_head(view);
  update_slots($('#elevation'), view);
  if (changed)
    run(); // the sentences about the feeds
  else restate(stated_loads(view.feeds));
}

const panels = [...document.querySelectorAll('wl-panel')].filter((p) => p instanceof Panel);
$('#stack-panel', Panel).actions = curve_files(`/racks/${encodeURIComponent(KEY)}/curve`);
const zoom = window_controls(() => run());
const alerts = alert_strip($('#alerts'), { rack: KEY });
/** @returns {Promise<RackView>} */
const load = () => Promise.all([get(name, wanted()), alerts()]).then(([answer]) => answer);
const run = refresh(load, paint, panels, REFRESH_S);
const restate = reload_changed(run);
live({ rack: KEY }, update);
