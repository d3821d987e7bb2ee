// @ts-check
// The compare page: groups of runs side by side. What is compared, the axis and the measure are kept in the address.
import { choices, handle_keys, note_address, read } from '../core/address.js';
import { as_problem, get, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { count, num, THIN } from '../core/format.js';
import { escape, icon } from '../core/markup.js';
import { paint_choices, paint_offers, pin_colors } from '../jobs/compare_choices.js';
import { caps_table, differences, excluded_table, groups_table, one_of, words } from '../jobs/compare_tables.js';
import { Panel } from '../parts/panel.js';
import { requested_times, window_controls } from '../time/window.js';

/** @import { Best, CompareView, GroupTable, PowerCap } from '../answers.js' */

const KEPT = 'by tag id reference cap pin min_coverage user project cluster node state q coverage'.split(' ');
const OF_PAGE = ['cap', 'pin']; // the files of the API do not have them
const TIMES = { fraction: 'Share of run', elapsed: 'Since start', clock: 'Clock' };
const OF = { node: 'Nodes', gpu: 'GPU, mean' };
/** @type {Record<string, string>} */
const MEASURES = { energy_j: 'Energy', mean_power_w: 'Mean power', duration_s: 'Run time' };
/** @type {CompareView} */
let view;
let latest = 0; // answers to older requests are dropped

/** @param {string} name */
const panel = (name) => $(`#${name}-panel`, Panel);
const compared_panels = () => [...document.querySelectorAll('#compare wl-panel')].filter((p) => p instanceof Panel);

// ---- the address -------------------------------------------------------------------------
const address = () => new URLSearchParams(location.search);

/**
 * @param {string[]} [without]
 * @returns {[string, string][]}
 */
function query(without = []) {
  const here = address();
  const pairs = KEPT.filter((key) => !without.includes(key)).flatMap((key) =>
    here.getAll(key).flatMap((value) => (value ? [/** @type {[string, string]} */ ([key, value])] : [])),
  );
  for (const [end, time] of Object.entries(requested_times())) if (time) pairs.push([end, time]);
  return pairs;
}

/** @param {(params: URLSearchParams) => void} change */
function go(change) {
  const url = new URL(location.href);
  change(url.searchParams);
  history.pushState(null, '', url);
  note_address();
  load();
}

/**
 * @param {string} key
 * @param {string} value
 */
const add = (key, value) =>
  go((params) => {
    if (!params.getAll(key).includes(value)) params.append(key, value);
    if (key === 'by') for (const name of ['reference', 'pin', 'cap']) params.delete(name);
  });

/**
 * @param {string} key
 * @param {string | undefined} value  none: every value
 */
const drop = (key, value) =>
  go((params) => {
    params.delete(key, value);
    if (key === 'by') for (const name of ['reference', 'pin', 'cap']) params.delete(name);
  });

/**
 * The same request to the API, with what the page chose itself: the tag of picked jobs, the reference.
 * @param {string} name
 * @param {Record<string, string | number>} [extra]
 * @param {string[]} [without]
 */
function source(name, extra = {}, without = []) {
  const reference = Object.entries(view.table?.reference ?? {}).map((pair) => ['reference', pair.join(':')]);
  const pairs = [...view.by.map((tag) => ['by', tag]), ...query(['by', 'reference', ...OF_PAGE]), ...reference];
  const more = Object.entries(extra).map(([key, value]) => [key, String(value)]);
  return path(`${name}?${new URLSearchParams([...pairs.filter(([key]) => !without.includes(key)), ...more])}`);
}

// ---- panels ------------------------------------------------------------------------------
function paint_bars() {
  const names = Object.keys(view.figures).filter((key) => !['gains', 'costs'].includes(key));
  const options = Object.fromEntries(names.map((key) => [key, MEASURES[key] ?? `J per ${one_of(key)}`]));
  const seg = $('#measure');
  if (seg.dataset.keys !== names.join()) {
    const fresh = /** @type {HTMLElement} */ (seg.cloneNode());
    fresh.dataset.keys = names.join();
    seg.replaceWith(fresh);
    choices(fresh, 'measure', options, 'energy_j', paint_bars);
  }
  const measure = read('measure', 'energy_j') in options ? read('measure', 'energy_j') : 'energy_j';
  $('#bars').style.height = `${Math.min(900, view.bars_px)}px`;
  panel('bars').figure($('#bars'), view.figures[measure], { source: source('/studies/groups') });
}

/** @param {PowerCap} caps */
function best_of({ by, reference, best }) {
  /**
   * @param {string} what
   * @param {Best} found
   * @param {string} unit
   */
  const at = (what, found, unit) => `${what} at ${found.cap} (${num(found.value, 2)}${unit})`;
  const percent = `${THIN}%`;
  const tag = words(by).replace(/, (\w+)$/, '');
  const highest = [
    at('energy gain', best.energy_gain_pct, percent),
    at('gain − loss', best.difference_pct, ' points'),
    at('EDP gain', best.edp_gain_pct, percent),
    ...Object.entries(best.eds_gain_pct).map(([k, found]) => at(`EDS gain, k = ${k}`, found, percent)),
  ];
  return `Compared with ${tag} ${num(reference, reference % 1 ? 2 : 0)}. Highest ${highest.join(', ')}.`;
}

function paint_caps() {
  const { caps, figures, caps_why: why } = view;
  for (const name of ['gains', 'costs', 'caps']) panel(name).hidden = !caps;
  if (!caps) {
    panel('caps').hidden = !why;
    if (why) panel('caps').empty({ what: 'No power-cap panel', why });
    return;
  }
  const api = source('/studies/power-cap', { reference: caps.reference }, ['reference']);
  panel('gains').figure($('#gains'), figures.gains, { source: api });
  $('#gains-note').textContent = (figures.gains.notes ?? []).join(' ');
  panel('costs').figure($('#costs'), figures.costs, { source: api });
  panel('caps').ready({ unit: 'bold: best of a column' });
  fill($('#caps'), caps_table(caps));
  $('#caps-note').textContent = best_of(caps);
}

/** @param {GroupTable} table */
function basis({ reference, reference_label, method_why, k }) {
  const same = view.by.length > 1 ? ' where all else is the same' : '';
  const ratios = reference
    ? `Ratios against ${reference_label}${same}, ± propagated to first order from both standard ` +
      'deviations, runs assumed independent. '
    : '';
  return (
    `${ratios}Method: ${method_why}. Uncertainty: of the meters, expanded, k = ${k}, the largest of a group; ` +
    'the part that the meters of two groups share cancels in a ratio.'
  );
}

/** @param {GroupTable} table */
function paint_table(table) {
  const methods = { counter: 'energy registers', mixed: 'registers and integral' };
  const method = methods[/** @type {'counter'} */ (table.method)] ?? 'integral of power';
  panel('table').ready({ unit: `n runs, ${method} for all of them` });
  fill($('#table'), groups_table(table, view.by));
  $('#basis').textContent = basis(table);
  fill($('#differences'), differences(table));
  const { excluded, warnings } = table;
  panel('left').hidden = !excluded.length;
  if (excluded.length) {
    panel('left').ready({ heading: `${count(excluded.length, 'job')} excluded` });
    fill($('#left'), excluded_table(excluded));
    $('#left-text').textContent = table.excluded_text;
  }
  $('#warnings').hidden = !warnings.length;
  fill($('#warnings'), warnings.map((text) => `<li>${icon('warn')}${escape(text)}</li>`).join(''));
}

function paint_downloads() {
  const { table, caps } = view;
  const groups = table?.groups.length ?? 0;
  $('#of').textContent = table && groups ? `${count(table.jobs, 'run')} in ${count(groups, 'group')}` : '';
  /**
   * @param {string} href
   * @param {string} label
   * @param {string} kind
   */
  const button = (href, label, kind) =>
    `<a class="btn" href="${escape(href)}" download>${icon('down')}${label}<small>${kind}</small></a>`;
  const buttons = [button(source('/studies/groups.csv'), 'Groups', 'CSV')];
  if (caps) {
    const href = source('/studies/power-cap.csv', { reference: caps.reference }, ['reference']);
    buttons.push(button(href, 'Caps', 'CSV'));
  }
  buttons.push(button(source('/studies/groups/report.html'), 'Report', 'HTML'));
  fill($('#take'), table?.jobs ? buttons.join('') : '');
}

// ---- all of it ---------------------------------------------------------------------------
async function load_overlay() {
  const mine = latest;
  const extra = { time: read('time', 'fraction'), of: read('of', 'node') };
  try {
    const pairs = [...query(['reference', 'cap']), ...Object.entries(extra)];
    const answer = await get(`/views/compare/overlay?${new URLSearchParams(pairs)}`);
    if (mine !== latest) return;
    const api = source('/studies/curves', extra, ['reference']);
    panel('overlay').figure($('#overlay'), answer.figures.overlay, { source: api });
    const lines = 'Thin: single runs. Thick: mean of a group; shaded ± standard deviation.';
    $('#overlay-note').textContent = `${answer.note} ${extra.time === 'fraction' ? lines : ''}`.trim();
  } catch (thrown) {
    panel('overlay').error(as_problem(thrown), load_overlay);
  }
}

/** @param {GroupTable} table */
function paint_nothing(table) {
  panel('start').hidden = false;
  panel('start').empty({
    what: 'No runs to compare',
    why: table.excluded.length ? 'All matching jobs are excluded, see below.' : 'No job matches these filters.',
    links: [{ label: 'Start over', href: '/compare' }],
  });
  paint_table(table);
  for (const name of ['overlay', 'bars', 'table', 'gains', 'costs', 'caps']) {
    panel(name).hidden = true;
    panel(name).ready();
  }
}

/** @param {CompareView} answer */
function paint(answer) {
  view = answer;
  pin_colors(view);
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_choices(view);
  paint_offers(view);
  paint_downloads();
  const { table } = view;
  $('#compare').hidden = !table;
  if (!table) {
    $('#warnings').hidden = true;
    compared_panels().forEach((p) => p.ready());
    return;
  }
  if (!table.groups.length) {
    paint_nothing(table);
    return;
  }
  for (const name of ['overlay', 'bars', 'table']) panel(name).hidden = false;
  paint_table(table);
  paint_bars();
  paint_caps();
  load_overlay();
}

async function load() {
  const mine = (latest += 1);
  try {
    const answer = await get(`/views/compare?${new URLSearchParams(query())}`);
    if (mine === latest) paint(answer);
  } catch (thrown) {
    if (mine !== latest) return;
    $('#compare').hidden = true;
    panel('start').hidden = false;
    compared_panels().forEach((p) => p.ready());
    panel('start').error(as_problem(thrown), load);
  }
}

$('#choose').addEventListener('submit', (event) => event.preventDefault());
$('#choose').addEventListener('change', ({ target }) => {
  const { name, value } = /** @type {HTMLSelectElement} */ (target);
  if (name === 'cap') {
    go((params) => params.set('cap', view.by[0]));
    return;
  }
  if (name !== 'reference') {
    if (value) add(name, value);
    return;
  }
  go((params) => {
    params.delete('reference');
    if (value) params.set('reference', value);
  });
});
document.addEventListener('click', (event) => {
  const target = /** @type {Element} */ (event.target);
  /** @type {HTMLElement | null} */
  const dropped = target.closest('[data-drop]');
  const { drop: key, value } = dropped?.dataset ?? {};
  if (key) drop(key, key === 'id' ? undefined : value);
  const fold = target.closest('button.fold');
  if (!fold) return;
  const open = fold.getAttribute('aria-expanded') === 'true';
  fold.setAttribute('aria-expanded', String(!open));
  fold.closest('tr')?.nextElementSibling?.toggleAttribute('hidden', open);
});
handle_keys(KEPT, load);
window_controls(load);
choices($('#time'), 'time', TIMES, 'fraction', load_overlay);
choices($('#what'), 'of', OF, 'node', load_overlay);
load();
