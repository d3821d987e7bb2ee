// @ts-check
// The job page: key figures, the power figure with its load strip, where the energy went, how it was measured, files.
// The window, the whole run at first, and the kind of axes are kept in the address; the view depends on the zone alone.
import { handle_keys, key_of_page, read, write } from '../core/address.js';
import { as_problem, get, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { clock, day } from '../core/format.js';
import { live } from '../core/live.js';
import { escape, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { paint_downloads } from '../jobs/downloads.js';
import { job_figures } from '../jobs/job_figures.js';
import { length, paint_about, paint_evidence, paint_nodes, paint_split, present } from '../jobs/job_panels.js';
import { source_tag, together } from '../core/known_power.js';
import { Panel } from '../parts/panel.js';
import { page_window, requested_times, set_whole, window_controls } from '../time/window.js';
import { zone_name } from '../time/zone.js';

/** @import { JobFigures, JobView, KnownPower, LiveValues, Tag } from '../answers.js' */

const ID = key_of_page();
const name = `/views/job/${encodeURIComponent(ID)}`;
const range = () => ({ ...requested_times(), axes: read('axes') });
/** @type {JobView | null} */
let view = null;
/** @type {JobFigures | null} */
let shown = null; // the figures of the range
/** @type {(KnownPower & { tags: string }) | null} */
let now = null; // of a running job
let watching = false;
let latest = 0; // answers for another window are dropped
let zone = zone_name();

// ---- head --------------------------------------------------------------------------------
/** @param {JobView} view */
function when({ start, end }) {
  if (!end) return `since ${day(start)}, ${clock(start)}`;
  return day(start) === day(end)
    ? `${day(start)}, ${clock(start)}–${clock(end)}`
    : `${day(start)}, ${clock(start)} – ${day(end)}, ${clock(end)}`;
}

/** @param {Tag} tag */
function tag_link([name, value]) {
  const text = /^[\d.]+$|^(true|false)$/.test(value) ? `${name.replaceAll('_', ' ')} ${value}` : value;
  return markup`
    <a class="tag" href="/jobs?tag=${encodeURIComponent(`${name}:${value}`)}"
    title="${escape(`${name}: ${value}`)}">${escape(text)}</a>
  `;
}

/** @param {JobView} view */
function paint_head(view) {
  document.title = `${view.name} · Wattline`;
  const number = view.job_id && view.job_id.length <= 20 ? ` ${escape(view.job_id)} /` : '';
  fill($('#crumb'), `<a href="/jobs">Jobs</a> /${number}`);
  $('#name').textContent = view.name;
  const links = view.nodes.map((n) => `<a href="/nodes/${encodeURIComponent(n.key)}">${escape(n.label)}</a>`);
  fill(
    $('#of'),
    [view.nodes.length > 2 ? '' : links.join(', '), escape(view.hardware), `<span class="nb">${when(view)}</span>`]
      .filter(Boolean)
      .join(' · '),
  );
  const kind = Object.entries(view.tags).find(([, value]) => view.kind && value === view.kind);
  fill($('#tags'), [...(kind ? [kind] : []), ...view.shown_tags.slice(0, 5)].map(tag_link).join(''));
  $('#running').hidden = !view.running;
  $('#running').textContent = `running for ${length(view.summary.duration_s)}`;
  $('wl-top .live').hidden = !view.running; // an ended job has no live values
}

// ---- figures -----------------------------------------------------------------------------
async function load_figures() {
  try {
    const mine = (latest += 1);
    const answer = await get(`${name}/figures`, range());
    if (mine !== latest) return;
    shown = answer;
    if (view && shown) paint_range(shown);
  } catch (thrown) {
    const back = page_window().preset === 'run' ? load_figures : () => zoom(null, null);
    $('#power-panel', Panel).error(as_problem(thrown), back);
    present($('#gpus-panel', Panel), false);
  }
}

/** @param {JobFigures} answer */
function paint_range(answer) {
  const { power, gpus } = answer.figures;
  const { first, last } = answer.stretch;
  set_whole([Date.parse(first), Date.parse(last)], !view?.running);
  paint_downloads({ id: ID, plot: power.empty ? null : $('#power') });
  const source = path(`${name}/figures`, range());
  $('#power-panel', Panel).figure($('#power'), power, { source, zoom, age: answer.power_age });
  $('#power-notes').textContent = (power.notes ?? []).join(' ');
  $('#power-notes').hidden = !$('#power-notes').textContent;
  present($('#gpus-panel', Panel), gpus !== null);
  if (!gpus) return;
  const rows = gpus.empty ? 4 : /** @type {string[]} */ (gpus.data[0].y).length;
  $('#gpus').style.minHeight = `${Math.min(640, Math.max(130, rows * (rows > 16 ? 12 : 24) + 46))}px`;
  setTimeout(() => {
    if (shown === answer) $('#gpus-panel', Panel).figure($('#gpus'), gpus, { source, zoom, age: answer.gpus_age });
  }); // the power is on the screen before
}

function axes_action() {
  const overlay = read('axes') === 'overlay';
  const run = () => {
    write({ axes: overlay ? null : 'overlay' });
    load_figures();
  };
  return [
    overlay ? { label: 'GPU load in a strip', run } : { label: 'GPU load on the right axis', hint: 'for print', run },
  ];
}

// ---- all of it ---------------------------------------------------------------------------
/** @param {JobView} answer */
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_head(view);
  fill($('#figures'), job_figures(view, now));
  paint_split(view);
  paint_evidence(view);
  paint_nodes(view);
  paint_about(view);
  $('#duration-panel', Panel).figure($('#duration'), view.figures.duration, { source: path(name) });
  if (shown) paint_range(shown);
  else paint_downloads({ id: ID, plot: null });
  if (view.running && !watching) watch(view.nodes.map((n) => n.key));
}

/** @param {string[]} keys */
function watch(keys) {
  watching = true;
  /** @type {NonNullable<LiveValues['nodes']>} */
  const nodes = {};
  live(keys.length === 1 ? { node: keys[0] } : {}, (values) => {
    for (const key of keys) if (values.nodes?.[key]) nodes[key] = values.nodes[key];
    const known = keys.flatMap((key) => nodes[key] ?? []);
    if (known.length < keys.length || !view?.running) return;
    now = { ...together(known), tags: [...new Set(known.map(source_tag))].join(' ') };
    fill($('#figures'), job_figures(view, now));
  });
}

$('#power-panel', Panel).actions = axes_action;
handle_keys(['axes'], load_figures);
const zoom = window_controls(() => {
  load_figures();
  if (zone === zone_name()) return;
  zone = zone_name();
  run();
});
const waiting = [...document.querySelectorAll('wl-panel[wait]')].filter((p) => p instanceof Panel);
load_figures();
const run = refresh(() => get(name), paint, waiting);
setInterval(() => {
  if (view?.running && !document.hidden && page_window().preset) load_figures();
}, 30_000);
