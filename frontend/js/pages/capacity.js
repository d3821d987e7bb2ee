// @ts-check
// The capacity page: does it fit, every rack, row, room, feed and PDU against its limit, stranded power, and what if.
import { choices, read, write } from '../core/address.js';
import { as_problem, get, path, Problem } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { save, save_blob, toast } from '../core/export.js';
import { count, kw, limit_kw, num, THIN } from '../core/format.js';
import { escape, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { fit_form } from '../capacity/fit_form.js';
import { Panel } from '../parts/panel.js';
import { feed_row, pdu_row, place_row, planner_csv, rack_row, sorted, stranded_by, sum } from '../capacity/planner.js';
import { COLUMNS, table_head, table_row } from '../capacity/planner_table.js';
import { what_if } from '../capacity/what_if.js';
import { requested_window, window_controls } from '../time/window.js';

/** @import { CapacityView, HeadroomRow, RackFitLine } from '../answers.js' */
/** @import { Row } from '../capacity/planner.js' */

/** @type {Record<string, string>} */
const BASES = { observed_max: 'Observed max', observed_p99: 'p99', rated: 'Rated', budget: 'Budget' };
/** @type {Record<string, string>} */
const LEVELS = { room: 'Room', row: 'Row', rack: 'Rack', feed: 'Feed', pdu: 'PDU' };
const FRESH_MS = 60_000;
const racks_panel = $('#racks-panel', Panel);
const fit_panel = $('#fit-panel', Panel);
const stranded_panel = $('#stranded-panel', Panel);
/** @type {CapacityView} */
let view;
/** @type {Map<string, RackFitLine>} */
let fits = new Map(); // by rack, for the request `fits_of`
let fits_of = '';
let fits_ms = 0;
/** @type {Map<string, HeadroomRow[]>} */
const places = new Map(); // by level, for the window on the page

const asked = () => ({ basis: read('basis', 'observed_max'), from: view.window.from, to: view.window.to });
const margin = () => read('margin'); // '': that of each rack's site
/** @param {number} of_site */
const margin_pct = (of_site) => (margin() === '' ? of_site : Number(margin()));
const level = () => (read('by', 'rack') in LEVELS ? read('by', 'rack') : 'rack');

// ---- the table ---------------------------------------------------------------------------------
/** @returns {Row[]} */
const racks = () => view.racks.map((r) => rack_row(r, fits.get(r.key), margin_pct(r.margin_pct)));

/** @returns {Row[]} */
function rows() {
  const of_site = view.racks[0]?.margin_pct ?? 0;
  if (level() === 'rack') return racks();
  if (level() === 'pdu') return view.pdus.map((p) => pdu_row(p, margin_pct(of_site)));
  const found = places.get(level()) ?? [];
  const trends = { room: view.rooms, row: view.rows, feed: view.feeds }[level()] ?? [];
  const peaks = new Map(trends.map((one) => [one.key, one]));
  if (level() === 'feed') return found.map((row) => feed_row(row, margin_pct(of_site), peaks.get(row.key)));
  const all = racks();
  const inside = view.racks.map((r) =>
    level() === 'room' ? r.room_key : [r.room_key, r.row].filter(Boolean).join('/'),
  );
  return found.map((row) =>
    place_row(
      row,
      all.filter((_, i) => inside[i] === row.key),
      peaks.get(row.key),
    ),
  );
}

function shown() {
  const text = read('filter').toLowerCase();
  const found = rows().filter((r) => `${r.label} ${r.place} ${r.binds}`.toLowerCase().includes(text));
  const [key, order] = read('sort', 'share:falling').split(':');
  const known = COLUMNS.find((c) => c.key === key)?.key ?? 'share';
  return {
    all: rows().length,
    key: known,
    falling: order !== 'rising',
    found: sorted(found, known, order !== 'rising'),
  };
}

function paint_table() {
  if (!view.racks.length) {
    const why = 'Racks, their capacity and their nodes are declared in the facility file.';
    racks_panel.empty({ what: 'No racks', why });
    return;
  }
  const heading = level() === 'pdu' || level() === 'feed' ? view.pdus_title : view.racks_title;
  const unit = level() === 'pdu' || level() === 'feed' ? 'A, fullest line' : 'kW';
  racks_panel.ready({ heading, unit, age: view.window.label });
  const { all, key, falling, found } = shown();
  const scale = Math.max(1, ...found.map((r) => (r.full ? Math.max(r.rated ?? 0, r.max ?? 0) / r.full : 0)));
  fill($('#planner thead'), table_head(LEVELS[level()], key, falling));
  fill($('#planner tbody'), found.map((r) => table_row(r, scale, r.key === read('rack'))).join(''));
  $('#matching').textContent = found.length < all ? `${found.length} of ${all} match` : '';
  $('#fits-note').textContent =
    `Fits: more nodes of the rack's most common model, on the basis “${BASES[asked().basis]}”, with the margin kept ` +
    'at rack capacity, PDUs and lines. ' +
    (found.some((r) => r.nodes_only) ? 'Nodes only: loads beside the nodes are not known. ' : '') +
    'The maximum of a row or room is of the sum at one moment, not the sum of peaks.';
}

async function load_places() {
  const name = level();
  if (['rack', 'pdu'].includes(name) || places.has(name)) return;
  const { from, to } = view.window;
  const answer = await get('/headroom', { level: name, from, to }).catch(as_problem);
  if (answer instanceof Problem) racks_panel.error(answer, again);
  else {
    places.set(name, answer.items);
    paint_table();
  }
}

/** @param {Problem} problem  of all racks without an answer so far */
function miss_fits({ detail: why }) {
  const unknown = { model: '', additional_nodes: null, binds: '', stranded_w: null, why, nodes_only: false };
  for (const { key } of view.racks) if (!fits.has(key)) fits.set(key, { rack: key, ...unknown });
}

async function load_fits() {
  const wanted = { ...asked(), margin_pct: margin() };
  const mine = JSON.stringify([wanted.basis, wanted.margin_pct, view.window.label]);
  if (mine === fits_of && Date.now() - fits_ms < FRESH_MS) return; // the page is painted again in its own zone
  if (mine !== fits_of) fits = new Map();
  fits_of = mine;
  fits_ms = Date.now();
  /** @type {string | null} */
  let cursor = '';
  while (cursor !== null) {
    /** @type {{ items: RackFitLine[], next: string | null } | Problem} */
    const answer = await get('/capacity/racks', { ...wanted, cursor }).catch(as_problem);
    if (fits_of !== mine) return;
    if (answer instanceof Problem) miss_fits(answer);
    else for (const line of answer.items) fits.set(line.rack, line);
    cursor = answer instanceof Problem ? null : answer.next;
    paint_soon();
  }
}

let is_due = false;
function paint_soon() {
  if (is_due) return;
  is_due = true;
  setTimeout(() => {
    is_due = false;
    paint_table();
    paint_stranded();
  }, 200);
}

function paint_stranded() {
  const groups = stranded_by(racks());
  const total = sum(groups.map((g) => g.watts)) ?? 0;
  const waiting = view.racks.length - fits.size;
  if (!groups.length) {
    const why = waiting
      ? `${waiting} racks are still being evaluated.`
      : 'In no rack another limit than its capacity binds.';
    stranded_panel.empty({ what: waiting ? 'Evaluating' : 'No stranded power', why });
    return;
  }
  stranded_panel.ready({
    heading: `${kw(total, 0)}${THIN}kW stranded, most by ${groups[0].binds}`,
    age: waiting ? `${waiting} racks to come` : view.window.label,
  });
  fill(
    $('#stranded'),
    groups
      .map(
        ({ binds, watts, racks: n }) => markup`
          <li><span>${escape(binds)}</span>
          <span class="track"><i style="width:${(watts / groups[0].watts) * 100}%"></i></span>
          <span class="num"><b>${kw(watts, 1)}</b> <small class="mute">${count(n, 'rack')}</small></span></li>
        `,
      )
      .join(''),
  );
}

// ---- together ----------------------------------------------------------------------------------
/** @param {string} rack */
const model_of = (rack) => fits.get(rack)?.model ?? '';

function paint_table_again() {
  if (view) paint_table();
}

function paint_totals() {
  const parts = [
    [sum(view.racks.map((r) => r.rated_w)), 'rated'],
    [sum(view.racks.map((r) => r.capacity_w)), 'rack capacity'],
  ];
  $('#totals').textContent = parts
    .filter(([watts]) => watts !== null)
    .map(([watts, what]) => `${limit_kw(Number(watts))}${THIN}kW ${what}`)
    .join(', ');
}

function margins() {
  const of_sites = [...new Set(view.racks.map((r) => r.margin_pct))];
  const site =
    of_sites.length === 1 ? `site, ${num(of_sites[0], Number.isInteger(of_sites[0]) ? 0 : 1)}${THIN}%` : 'of each site';
  const options = { '': site, 0: `0${THIN}%`, 10: `10${THIN}%`, 20: `20${THIN}%` };
  const fresh = $('#margin').cloneNode(false);
  $('#margin').replaceWith(fresh);
  choices($('#margin'), 'margin', options, '', again);
}

/** @param {CapacityView} answer */
function paint(answer) {
  const first = !view;
  if (view?.window.label !== answer.window.label || !first) places.clear();
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  if (first) margins();
  for (const id of ['#stranded-panel', '#what-if-panel']) $(id, Panel).hidden = !view.racks.length;
  paint_totals();
  fit.offer(view);
  paint_table();
  if (first) paint_stranded();
  load_places();
  fit.run();
  load_fits();
  builder.offer(view);
}

const name = '/views/capacity';
const load = () => get(name, requested_window());
const builder = what_if(() => ({ ...asked(), margin_pct: margin() === '' ? null : Number(margin()) }));
const fit = fit_form(
  () => ({ ...asked(), margin_pct: margin() }),
  (rack, model, count) => builder.add(rack, model || model_of(rack), count),
  paint_table_again,
);
const run = refresh(load, paint, [racks_panel, fit_panel, stranded_panel], 120);
const again = () => {
  if (!view) return;
  paint_table();
  load_places();
  fit.run();
  load_fits();
  builder.run();
};
choices($('#basis'), 'basis', BASES, 'observed_max', again);
window_controls(run);
choices($('#level'), 'by', LEVELS, 'rack', () => {
  if (!view) return;
  paint_table();
  load_places();
});
const filter = $('#filter', HTMLInputElement);
filter.value = read('filter');
filter.addEventListener('input', () => {
  write({ filter: filter.value || null });
  if (view) paint_table();
});
$('#planner').addEventListener('click', ({ target }) => {
  const button = /** @type {Element} */ (target).closest('button');
  if (!button?.dataset.sort) return;
  const { key, falling } = shown();
  const now =
    button.dataset.sort === key ? !falling : (COLUMNS.find((c) => c.key === button.dataset.sort)?.number ?? false);
  write({ sort: `${button.dataset.sort}:${now ? 'falling' : 'rising'}` });
  paint_table();
});
const source = () => path(name, requested_window());

async function save_workbook() {
  const { from, to } = view.window;
  const request = { level: level(), from, to, fits: asked().basis, margin_pct: margin() };
  const answer = await fetch(path('/headroom.xlsx', request), { credentials: 'same-origin' });
  if (answer.ok) save_blob(`headroom-${level()}.xlsx`, await answer.blob());
  else toast((await answer.json()).hint);
}
racks_panel.actions = () => [
  {
    label: 'Table as shown',
    hint: 'CSV',
    run: () => save(`capacity-${level()}.csv`, planner_csv(shown().found), 'text/csv'),
  },
  { label: 'Limits and loads', hint: 'XLSX', run: save_workbook },
  { label: 'Open the response', hint: 'JSON', run: () => window.open(source()) },
];
