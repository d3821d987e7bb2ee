// The jobs page: a table of runs. Filters, sorting and how many rows are shown live in the address.
import { absolute, get, path } from '../core/api.js';
import { clock, coverage, day, duration, escape, icon, num, significant, THIN } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';
import { sparkline } from '../parts/sparkline.js';

const $ = (selector) => document.querySelector(selector);
const PAGE = 50;
const FILTERS = ['q', 'state', 'user', 'node', 'coverage', 'tag', 'project', 'cluster', 'job_id', 'from', 'to'];
const panel = $('#table-panel');
const form = $('#filters');
let view = null;
let asked = 0;                                                 // answers to older questions are dropped

// ---- the address -------------------------------------------------------------------------
const address = () => new URLSearchParams(location.search);

function query(extra = {}) {
  const here = address();
  const wanted = new URLSearchParams(FILTERS.flatMap((key) => here.getAll(key).filter(Boolean).map((value) => [key, value])));
  if (here.get('sort')) wanted.set('sort', here.get('sort'));
  Object.entries(extra).forEach(([key, value]) => wanted.set(key, value));
  return wanted.size ? `?${wanted}` : '';
}

function go(change) {
  const url = new URL(location.href);
  change(url.searchParams);
  history.replaceState(null, '', url);
  load_and_paint();
}

const put = (key, value) => go((p) => { p.delete('rows'); if (value) p.set(key, value); else p.delete(key); });
const add_tag = (tag) => go((p) => { p.delete('rows'); if (!p.getAll('tag').includes(tag)) p.append('tag', tag); });
const drop = (key, value) => go((p) => { p.delete('rows'); p.delete(key, value); });
const clear = () => go((p) => { FILTERS.forEach((key) => p.delete(key)); p.delete('rows'); });
const filtered = () => FILTERS.some((key) => address().has(key));

// ---- picked to compare: they live in the address too ------------------------------------
const picked = () => address().getAll('pick');

function pick(id, on) {
  const url = new URL(location.href);
  if (on) url.searchParams.append('pick', id); else url.searchParams.delete('pick', id);
  history.replaceState(null, '', url);
  paint_picked();
}

function paint_picked() {
  const ids = picked();
  $('#compare').hidden = !ids.length;
  $('#compare').textContent = `Compare ${ids.length} ${ids.length === 1 ? 'job' : 'jobs'}`;
  $('#compare').href = `/compare?${new URLSearchParams(ids.map((id) => ['id', id]))}`;
}

// ---- loading -----------------------------------------------------------------------------
async function load() {
  const mine = asked += 1;
  const rows = Math.max(PAGE, Number(address().get('rows')) || PAGE);
  let answer = await get(`/views/jobs${query({ limit: Math.min(rows, 500) })}`);
  const found = answer.rows;
  while (answer.next && found.length < rows) {
    answer = await get(`/views/jobs${query({ limit: Math.min(rows - found.length, 500), cursor: answer.next })}`);
    found.push(...answer.rows);
  }
  return mine === asked ? { ...answer, rows: found } : null;
}

async function load_and_paint() {
  try {
    const answer = await load();
    if (answer) paint(answer);
  } catch (problem) {
    if (!('hint' in problem)) console.error(problem);
    panel.error(problem, load_and_paint);
  }
}

async function more() {
  const button = $('#more');
  button.disabled = true;
  try {
    const answer = await get(`/views/jobs${query({ limit: PAGE, cursor: view.next })}`);
    const url = new URL(location.href);
    const first = view.rows.length;
    url.searchParams.set('rows', first + answer.rows.length);
    history.replaceState(null, '', url);
    paint({ ...answer, rows: [...view.rows, ...answer.rows] });
    $(`#table tbody tr:nth-child(${first + 1}) a`)?.focus();
  } finally {
    button.disabled = false;
  }
}

// ---- numbers of this table: fixed decimals down to small ones, which keep two digits ------
const at_least = (x, digits) => (x === null ? num(null) : x !== 0 && Math.abs(x) < 10 ** -digits * 10 ? significant(x, 2) : num(x, digits));
const kwh = (joules) => at_least(joules === null ? null : joules / 3.6e6, 2);
const kw = (watts) => at_least(watts === null ? null : watts / 1000, 2);

function energy_total(joules) {
  const total = joules / 3.6e6;
  return total >= 10000 ? `${num(total / 1000, 1)}${THIN}MWh` : `${num(total, total >= 100 ? 0 : 1)}${THIN}kWh`;
}

// ---- the table ---------------------------------------------------------------------------
const STATES = { failed: 'crit', timeout: 'crit', out_of_memory: 'crit', node_fail: 'crit', cancelled: 'warn', preempted: 'warn' };

function state(row) {
  if (row.running) return '<span class="running">running</span>';
  const told = (row.state ?? '').toLowerCase();
  if (!told || told === 'completed') return '';
  const sign = STATES[told];
  return `<span class="${sign ?? 'soft'}">${sign ? `${icon(sign)} ` : ''}${escape(told.replaceAll('_', ' '))}</span>`;
}

function name_cell(row) {
  const number = row.job_id && row.job_id.length <= 20 ? row.job_id : '';
  const nodes = row.nodes.length > 1 ? `${row.nodes[0]} + ${row.nodes.length - 1} more` : row.nodes[0] ?? '';
  const hardware = row.hardware && `<span class="hide-s"> · ${escape(row.hardware)}</span>`;
  const shared = row.shared ? ' · shared' : '';
  const title = escape([number, ...row.nodes.slice(0, 20)].filter(Boolean).join(' '));
  return `<span class="line" title="${escape(row.name)}"><a href="/jobs/${encodeURIComponent(row.id)}">${escape(row.name)}</a> <small>${escape(row.kind)}</small>${state(row)}</span>
    <small class="mute line" title="${title}">${[number, nodes].filter(Boolean).map(escape).join(' · ')}${shared}${hardware}</small>`;
}

function tags_cell(row) {
  const word = ([name, value]) => (/^[\d.]+$|^(true|false)$/.test(value) ? `${name.replaceAll('_', ' ')} ${value}` : value);
  const chosen = address().getAll('tag');
  const shown = row.tags.filter(([name, value]) => !chosen.includes(`${name}:${value}`)).slice(0, 3);
  const link = ([name, value]) => `<a class="tag" href="?tag=${encodeURIComponent(`${name}:${value}`)}" data-tag="${escape(`${name}:${value}`)}" title="${escape(`${name}: ${value}`)}">${escape(word([name, value]))}</a>`;
  const rest = row.tags.length - shown.length;
  return `<span class="tags">${shown.map(link).join('')}${rest > 0 ? `<span class="mute" title="${escape(row.tags.slice(3).map((t) => t.join(': ')).join('\n'))}">+${rest}</span>` : ''}</span>`;
}

// The last moments of a running job are no gap: their readings are on the way.
function covered(row) {
  const missing_s = row.coverage === null ? 0 : (1 - row.coverage) * row.duration_s;
  const sign = row.coverage < 1 && !(row.running && missing_s < 60) ? `${icon('warn', 'warn')} ` : '';
  return row.coverage === null ? num(null) : sign + coverage(row.coverage);
}

// key: what the server sorts by; number: right-aligned; small: stays on a narrow screen.
const COLUMNS = [
  { title: '<span class="vh">Compare</span>', small: true, class: 'pick', cell: (r) => `<input type="checkbox" data-pick="${escape(r.id)}" aria-label="Compare ${escape(r.name)}"${picked().includes(r.id) ? ' checked' : ''}>` },
  { key: 'name', title: 'Job', small: true, rising: true, cell: name_cell, class: 'name' },
  { key: 'start', title: 'Started', cell: (r) => `${day(r.start)}<br><small>${clock(r.start)}</small>`, class: 'nb soft' },
  { title: 'Power', small: true, cell: (r) => sparkline(r.sparkline) },
  { key: 'energy_j', title: 'Energy, kWh', number: true, small: true, class: 'energy', cell: (r) => `<b>${kwh(r.energy_j)}</b>${r.running ? '<br><small>so far</small>' : ''}` },
  { key: 'median_w', title: 'Median, kW', number: true, cell: (r) => kw(r.median_w) },
  { key: 'max_w', title: 'Max, kW', number: true, cell: (r) => kw(r.max_w) },
  { key: 'median_of_max', title: 'Median/max', number: true, cell: (r) => num(r.median_of_max, 2), class: 'soft' },
  { key: 'duration_s', title: 'Duration', number: true, cell: (r) => duration(r.duration_s) },
  { key: 'utilization', title: 'GPU load, %', number: true, cell: (r) => (r.utilization_pct === null ? '<span class="mute" title="no GPU readings">–</span>' : num(r.utilization_pct)) },
  { key: 'coverage', title: 'Coverage', number: true, small: true, cell: covered },
  { title: 'Tags', cell: tags_cell },
];
const classes = (c) => [c.number && 'num', !c.small && 'hide-s', c.class].filter(Boolean).join(' ');

function header() {
  const sort = address().get('sort') || '-start';
  const [key, falling] = [sort.replace(/^-/, ''), sort.startsWith('-')];
  return `<thead><tr>${COLUMNS.map((c) => {
    const on = c.key === key;
    const kind = [c.number && 'num', !c.small && 'hide-s'].filter(Boolean).join(' ');
    const way = on ? `<span class="way" aria-hidden="true">${falling ? '↓' : '↑'}</span>` : '';
    return `<th scope="col" class="${kind}"${on ? ` aria-sort="${falling ? 'descending' : 'ascending'}"` : ''}>${c.key ? `<button type="button" data-sort="${c.key}">${c.title}${way && ` ${way}`}</button>` : c.title}</th>`;
  }).join('')}</tr></thead>`;
}

function paint_table() {
  const row = (r) => `<tr>${COLUMNS.map((c) => `<td class="${classes(c)}">${c.cell(r)}</td>`).join('')}</tr>`;
  $('#table').innerHTML = `<caption class="vh">Jobs with their energy, power and load</caption>${header()}<tbody>${view.rows.map(row).join('')}</tbody>`;
  $('#more').hidden = !view.next;
  $('#more').innerHTML = `Show more <small>${num(view.rows.length)} of ${num(view.totals.jobs)}</small>`;
}

function paint_empty() {
  if (filtered()) {
    const words = FILTERS.flatMap((key) => address().getAll(key).map((value) => (key === 'q' ? `“${value}”` : `${key} ${value}`)));
    panel.empty({ what: 'No job matches these filters', why: `None with ${words.join(', ')}.`, sign: 'search', links: [{ label: 'Clear all filters', href: '/jobs' }] });
  } else {
    panel.empty({
      what: 'No jobs yet', why: 'A job is registered by “wattline run -- your command”, by a scheduler over POST /api/v1/jobs, or with the log of a meter: “wattline import LOG --job”.',
      links: [{ label: 'How the API takes jobs', href: '/docs' }],
    });
  }
}

function paint_totals() {
  const t = view.totals;
  const parts = [`<b>${num(t.jobs)}</b> ${t.jobs === 1 ? 'job' : 'jobs'}`];
  if (t.running) parts.push(`<b>${num(t.running)}</b> running`);
  if (t.energy_j !== null) parts.push(`<b>${energy_total(t.energy_j)}</b>${t.running ? ' in ended ones' : ''}`);
  if (t.inside_j) parts.push(`${energy_total(t.inside_j)} of it inside other jobs, told twice`);
  if (t.node_s) parts.push(`<b>${num(t.node_s / 3600, t.node_s < 360000 ? 1 : 0)}</b> node-hours`);
  const waiting = t.jobs - t.running - t.summarised;
  $('#totals').innerHTML = parts.join(' · ') + (waiting > 0 ? ` <small>${num(waiting)} without readings</small>` : '');
}

// ---- filters -----------------------------------------------------------------------------
function options(name, first, pairs) {
  const select = form.elements[name];
  const now = name === 'tag' ? '' : address().get(name) ?? '';
  const known = pairs.some(([value]) => value === now) || !now ? pairs : [[now, now], ...pairs];
  select.innerHTML = [['', first], ...known].map(([value, label]) => `<option value="${escape(value)}">${escape(label)}</option>`).join('');
  select.value = now;
  select.classList.toggle('set', now !== '');
  select.closest('label').hidden = !known.length;
}

function paint_filters() {
  const { states, users, nodes, tags } = view.choices;
  const same = (values) => values.map((v) => [v, v]);
  options('state', 'any state', [['running', 'running'], ...same(states.filter((s) => s !== 'running'))]);
  options('user', 'any user', same(users));
  options('node', 'any node', same(nodes));
  options('coverage', 'any coverage', [['complete', 'complete'], ['gaps', 'with gaps']]);
  options('tag', 'add a tag…', tags.map(([name, value]) => [`${name}:${value}`, `${name}: ${value}`]));
  if (document.activeElement !== form.elements.q) form.elements.q.value = address().get('q') ?? '';
  const chip = (key, value) => `<span class="chip">${escape(key === 'tag' ? value.replace(':', ': ') : `${key.replace('_', ' ')} ${value}`)}<button type="button" data-drop="${escape(key)}" data-value="${escape(value)}" aria-label="Remove the filter ${escape(value)}">×</button></span>`;
  const chips = ['tag', 'project', 'cluster', 'job_id', 'from', 'to'].flatMap((key) => address().getAll(key).map((value) => chip(key, value)));
  $('#chips').innerHTML = chips.join('') + (filtered() ? '<button type="button" class="btn" data-clear>Clear all</button>' : '');
  $('#csv').href = path(`/jobs.csv${query()}`);
}

// ---- all of it ---------------------------------------------------------------------------
function paint(answer) {
  if (!answer) return;
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_filters();
  paint_totals();
  paint_picked();
  if (!view.rows.length) { paint_empty(); return; }
  paint_table();
  panel.ready({ heading: view.title });
}

let typing = 0;
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('input', ({ target }) => {
  clearTimeout(typing);
  if (target.name === 'q') typing = setTimeout(() => put('q', target.value.trim()), 250);
  else if (target.name === 'tag') { if (target.value) add_tag(target.value); }
  else put(target.name, target.value);
});
document.addEventListener('click', (event) => {
  const { sort, tag, drop: key, value } = event.target.closest('[data-sort],[data-tag],[data-drop],[data-clear]')?.dataset ?? {};
  if (sort) {
    const first = COLUMNS.find((c) => c.key === sort).rising ? sort : `-${sort}`;
    const now = address().get('sort') || '-start';
    put('sort', now === first ? (first.startsWith('-') ? sort : `-${sort}`) : first);
  } else if (tag && !event.metaKey && !event.ctrlKey) { event.preventDefault(); add_tag(tag); }
  else if (key) drop(key, value);
  else if (event.target.closest('[data-clear]')) clear();
});
$('#table').addEventListener('change', ({ target }) => { if (target.dataset.pick) pick(target.dataset.pick, target.checked); });
$('#more').addEventListener('click', more);
$('#filters .sign').innerHTML = icon('search');
$('#csv').insertAdjacentHTML('afterbegin', icon('down'));
panel.actions = () => [{ label: 'Open the answer', hint: 'JSON', run: () => window.open(absolute(path(`/jobs${query()}`))) }];
refresh(load, paint, [panel], 30);
live({}, () => {});
