// @ts-check
// The jobs page: a table of runs. Filters, order and number of rows are kept in the address.
import { handle_keys } from '../core/address.js';
import { absolute, as_problem, get, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { count, num } from '../core/format.js';
import { live } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { address, filtered, FILTERS, is_part, query, write } from '../jobs/list_address.js';
import { COLUMNS, energy_total, jobs_table, most_energy, picked, sorted_by } from '../jobs/jobs_table.js';
import { Panel } from '../parts/panel.js';
import { window_controls } from '../time/window.js';

/** @import { JobsView } from '../answers.js' */

const PAGE = 50;
const panel = $('#table-panel', Panel);
const form = $('#filters', HTMLFormElement);
const search = $('[name="q"]', HTMLInputElement, form);
/** @type {JobsView} */
let view;
let latest = 0; // answers to older requests are dropped

// ---- the address -------------------------------------------------------------------------
/**
 * @param {(params: URLSearchParams) => void} change
 * @param {boolean} [quiet]
 */
function go(change, quiet) {
  write((params) => {
    params.delete('rows');
    change(params);
  }, quiet);
  load_and_paint();
}

/**
 * @param {string} key
 * @param {string} value
 * @param {boolean} [quiet]
 */
const put = (key, value, quiet) => go((params) => (value ? params.set(key, value) : params.delete(key)), quiet);

/** @param {string} tag */
const add_tag = (tag) =>
  go((params) => {
    if (!params.getAll('tag').includes(tag)) params.append('tag', tag);
  });

/**
 * @param {string} key
 * @param {string | undefined} value
 */
const drop = (key, value) => go((params) => params.delete(key, value));
const clear = () => go((params) => FILTERS.forEach((key) => params.delete(key)));

// ---- jobs picked for a comparison: kept in the address too ------------------------------
/**
 * @param {string} id
 * @param {boolean} on
 */
function pick(id, on) {
  write((params) => (on ? params.append('pick', id) : params.delete('pick', id)), true);
  paint_picked();
}

function paint_picked() {
  const ids = picked();
  const link = $('#compare', HTMLAnchorElement);
  link.hidden = !ids.length;
  link.textContent = `Compare ${count(ids.length, 'job')}`;
  link.href = `/compare?${new URLSearchParams(ids.map((id) => ['id', id]))}`;
}

// ---- loading -----------------------------------------------------------------------------
/** @returns {Promise<JobsView | null>} */
async function load() {
  const mine = (latest += 1);
  const rows = Math.max(PAGE, Number(address().get('rows')) || PAGE);
  /** @type {JobsView} */
  let answer = await get(`/views/jobs${query({ limit: Math.min(rows, 500) })}`);
  const found = answer.rows;
  while (answer.next && found.length < rows) {
    answer = await get(`/views/jobs${query({ limit: Math.min(rows - found.length, 500), cursor: answer.next })}`);
    found.push(...answer.rows);
  }
  return mine === latest ? { ...answer, rows: found } : null;
}

async function load_and_paint() {
  try {
    paint(await load());
  } catch (thrown) {
    for (const place of ['#totals', '#top']) fill($(place), ''); // they are of another window
    panel.error(as_problem(thrown), load_and_paint);
  }
}

async function more() {
  const button = $('#more', HTMLButtonElement);
  button.disabled = true;
  try {
    /** @type {JobsView} */
    const answer = await get(`/views/jobs${query({ limit: PAGE, cursor: view.next ?? '' })}`);
    const first = view.rows.length;
    write((params) => params.set('rows', String(first + answer.rows.length)), true);
    paint({ ...answer, rows: [...view.rows, ...answer.rows] });
    if (answer.rows.length) $(`#table tbody tr:nth-child(${first + 1}) a`).focus();
  } finally {
    button.disabled = false;
  }
}

// ---- painting ----------------------------------------------------------------------------
function paint_empty() {
  if (!filtered() && !is_part()) {
    panel.empty({
      what: 'No jobs yet',
      why:
        'Register a job with “wattline run -- your command”, from a scheduler with POST /api/v1/jobs, ' +
        'or with a meter’s log: “wattline import LOG --job”.',
      links: [{ label: 'How to register jobs with the API', href: '/docs' }],
    });
    return;
  }
  const filters = FILTERS.flatMap((key) =>
    address()
      .getAll(key)
      .map((value) => (key === 'q' ? `“${value}”` : `${key} ${value}`)),
  );
  panel.empty({
    what: filters.length ? 'No job matches these filters' : 'No job ran in this window',
    why: [
      filters.length ? `Filters: ${filters.join(', ')}.` : '',
      is_part() ? 'Only jobs of the window are shown.' : '',
    ]
      .filter(Boolean)
      .join(' '),
    sign: 'search',
    links: [{ label: 'Clear all filters', href: '/jobs' }],
  });
}

function paint_totals() {
  const t = view.totals;
  const parts = [`<b>${num(t.jobs)}</b> ${t.jobs === 1 ? 'job' : 'jobs'}`];
  if (t.running) parts.push(`<b>${num(t.running)}</b> running`);
  if (t.energy_j !== null) parts.push(`<b>${energy_total(t.energy_j)}</b>${t.running ? ' in ended jobs' : ''}`);
  if (t.inside_j) parts.push(`${energy_total(t.inside_j)} of it inside other jobs, counted twice`);
  if (t.node_s) parts.push(`<b>${num(t.node_s / 3600, t.node_s < 360000 ? 1 : 0)}</b> node-hours`);
  const waiting = t.jobs - t.running - t.summarised;
  fill($('#totals'), parts.join(' · ') + (waiting > 0 ? ` <small>${num(waiting)} without readings</small>` : ''));
}

// ---- filters -----------------------------------------------------------------------------
/**
 * @param {string} name
 * @param {string} first
 * @param {[value: string, label: string][]} pairs
 */
function options(name, first, pairs) {
  const select = $(`select[name="${name}"]`, HTMLSelectElement, form);
  const now = name === 'tag' ? '' : (address().get(name) ?? '');
  const known = pairs.some(([value]) => value === now) || !now ? pairs : [[now, now], ...pairs];
  fill(
    select,
    [['', first], ...known]
      .map(([value, label]) => `<option value="${escape(value)}">${escape(label)}</option>`)
      .join(''),
  );
  select.value = now;
  select.classList.toggle('set', now !== '');
  const label = select.closest('label');
  if (label) label.hidden = !known.length;
}

/**
 * @param {string} key
 * @param {string} value
 */
function chip(key, value) {
  const text = key === 'tag' ? value.replace(':', ': ') : `${key.replace('_', ' ')} ${value}`;
  return markup`
    <span class="chip">${escape(text)}
    <button type="button" data-drop="${escape(key)}" data-value="${escape(value)}"
    aria-label="Remove the filter ${escape(value)}">×</button></span>
  `;
}

function paint_filters() {
  const { states, users, nodes, tags } = view.choices;
  /**
   * @param {string[]} values
   * @returns {[string, string][]}
   */
  const same = (values) => values.map((v) => [v, v]);
  options('state', 'any state', same(['running', ...states.filter((s) => s !== 'running')]));
  options('user', 'any user', same(users));
  options('node', 'any node', same(nodes));
  options('coverage', 'any coverage', [
    ['complete', 'complete'],
    ['gaps', 'with gaps'],
  ]);
  options(
    'tag',
    'add a tag…',
    tags.map(([name, value]) => [`${name}:${value}`, `${name}: ${value}`]),
  );
  if (document.activeElement !== search) search.value = address().get('q') ?? '';
  const chips = ['tag', 'project', 'cluster', 'job_id'].flatMap((key) =>
    address()
      .getAll(key)
      .map((value) => chip(key, value)),
  );
  fill(
    $('#chips'),
    chips.join('') + (filtered() ? '<button type="button" class="btn" data-clear>Clear all</button>' : ''),
  );
  $('#csv', HTMLAnchorElement).href = path(`/jobs.csv${query()}`);
}

// ---- all of it ---------------------------------------------------------------------------
/** @param {JobsView | null} answer */
function paint(answer) {
  if (!answer) return;
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_filters();
  paint_totals();
  paint_picked();
  if (!view.rows.length) {
    paint_empty();
    return;
  }
  fill($('#table'), jobs_table(view.rows));
  $('#more').hidden = !view.next;
  fill($('#more'), `Show more <small>${num(view.rows.length)} of ${num(view.totals.jobs)}</small>`);
  panel.ready({ heading: view.title });
  paint_top();
}

/** Name the run of the window that took the most energy, with its curve as a file. */
async function paint_top() {
  const mine = latest;
  const found = is_part() ? await get(`/jobs${query({ sort: '-energy_j', limit: 1 })}`).catch(as_problem) : null;
  if (mine === latest) fill($('#top'), most_energy(found && 'items' in found ? found.items[0] : undefined));
}

/** @param {string} key */
function sort_by(key) {
  const first = COLUMNS.find((c) => c.key === key)?.rising ? key : `-${key}`;
  const other = first.startsWith('-') ? key : `-${key}`;
  put('sort', sorted_by() === first ? other : first);
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let typing;
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', ({ target }) => {
  const { name, value } = /** @type {HTMLInputElement | HTMLSelectElement} */ (target);
  clearTimeout(typing);
  if (name === 'q') typing = setTimeout(() => put('q', value.trim(), true), 250);
  else if (name !== 'tag') put(name, value);
  else if (value) add_tag(value);
});
document.addEventListener('click', (event) => {
  /** @type {HTMLElement | null} */
  const element = /** @type {Element} */ (event.target).closest('[data-sort],[data-tag],[data-drop],[data-clear]');
  if (!element) return;
  const { sort, tag, drop: key, value, clear: all } = element.dataset;
  if (sort) sort_by(sort);
  else if (key) drop(key, value);
  else if (all !== undefined) clear();
  else if (tag && !event.metaKey && !event.ctrlKey) {
    event.preventDefault();
    add_tag(tag);
  }
});
$('#table').addEventListener('change', ({ target }) => {
  if (target instanceof HTMLInputElement && target.dataset.pick) pick(target.dataset.pick, target.checked);
});
$('#more').addEventListener('click', more);
fill($('#filters .sign'), icon('search'));
$('#csv').insertAdjacentHTML('afterbegin', icon('down'));
panel.actions = () => [
  { label: 'Open the response', hint: 'JSON', run: () => window.open(absolute(path(`/jobs${query()}`))) },
];
refresh(load, paint, [panel], 30);
handle_keys([...FILTERS, 'sort', 'rows', 'pick'], load_and_paint);
window_controls(load_and_paint);
live({}, () => {});
