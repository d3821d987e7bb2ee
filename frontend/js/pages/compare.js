// The page Compare: groups of runs side by side. What is compared, the axis and the measure live in the address.
import { choices, read, write } from '../core/address.js';
import { get, path } from '../core/api.js';
import { escape, icon, num, pct, THIN } from '../core/format.js';
import { caps_table, groups_table, left_table, one_of, words } from '../parts/compare_tables.js';

const $ = (selector) => document.querySelector(selector);
const KEPT = ['by', 'tag', 'id', 'reference', 'min_coverage', 'user', 'project', 'cluster', 'node', 'state', 'q', 'from', 'to', 'coverage'];
const TIMES = { fraction: 'Share of run', elapsed: 'Since start', clock: 'Clock' };
const OF = { node: 'Nodes', gpu: 'GPU, mean' };
const MEASURES = { energy_j: 'Energy', mean_power_w: 'Mean power', duration_s: 'Run time' };
let view = null;
let asked = 0;                                                 // answers to older questions are dropped

// ---- the address -------------------------------------------------------------------------
const address = () => new URLSearchParams(location.search);

function query(without = []) {
  const here = address();
  return new URLSearchParams(KEPT.filter((key) => !without.includes(key)).flatMap((key) => here.getAll(key).filter(Boolean).map((value) => [key, value])));
}

function go(change) {
  const url = new URL(location.href);
  change(url.searchParams);
  history.pushState(null, '', url);
  load();
}

const add = (key, value) => go((p) => { if (!p.getAll(key).includes(value)) p.append(key, value); if (key === 'by') p.delete('reference'); });
const drop = (key, value) => go((p) => { p.delete(key, value); if (key === 'by') p.delete('reference'); });
const chosen = () => ['by', 'id'].some((key) => address().has(key));

// The same request to the API, with what the page chose by itself: the tag of picked jobs, the reference.
function source(name, extra = {}, without = []) {
  const pairs = [...view.by.map((tag) => ['by', tag]), ...query(['by', 'reference']), ...Object.entries(view.table?.reference ?? {}).map((pair) => ['reference', pair.join(':')])];
  return path(`${name}?${new URLSearchParams([...pairs.filter(([key]) => !without.includes(key)), ...Object.entries(extra)])}`);
}

// ---- what is compared --------------------------------------------------------------------
const option = (value, label) => `<option value="${escape(value)}">${escape(label)}</option>`;
const chip = (key, value, text) => `<span class="chip"><span>${escape(text)}</span><button type="button" data-drop="${escape(key)}" data-value="${escape(value)}" aria-label="Remove ${escape(text)}">×</button></span>`;

function paint_choices() {
  const form = $('#choose');
  const here = address();
  const by = here.getAll('by');
  const telling = view.tags.filter((t) => !t.tag.startsWith('official_'));   // figures of a benchmark, no configuration
  const several = telling.filter((t) => t.distinct > 1 && !by.includes(t.tag));
  form.elements.by.innerHTML = option('', by.length ? 'and a tag…' : 'a tag…') + several.map((t) => option(t.tag, `${words(t.tag)} (${t.distinct})`)).join('');
  $('#by').innerHTML = by.map((tag) => chip('by', tag, words(tag))).join('');
  form.elements.tag.innerHTML = option('', 'jobs with…') + telling.map((t) => `<optgroup label="${escape(words(t.tag))}">${t.values.slice(0, 40).map((v) => option(`${t.tag}:${v.value}`, `${v.value} (${v.jobs})`)).join('')}</optgroup>`).join('');
  const filters = ['tag', 'user', 'project', 'cluster', 'node', 'state', 'q', 'from', 'to', 'coverage', 'min_coverage'].flatMap((key) => here.getAll(key).map((value) => chip(key, value, key === 'tag' ? value.replace(':', ': ') : `${words(key)} ${value}`)));
  const ids = here.getAll('id');
  $('#only').innerHTML = filters.join('') + (ids.length ? chip('id', '', `${ids.length} chosen ${ids.length === 1 ? 'job' : 'jobs'}`) : '');
  paint_reference(form.elements.reference);
}

function paint_reference(select) {
  const { table } = view;
  $('#reference-label').hidden = !table || table.groups.length < 2;
  if (!table) return;
  const [first] = view.by;
  const pairs = view.by.length === 1
    ? table.groups.map((g) => [`${first}:${g.tags[first]}`, g.label])
    : view.by.flatMap((tag) => [...new Set(table.groups.map((g) => g.tags[tag]))].map((value) => [`${tag}:${value}`, `${words(tag)} ${value}`]));
  select.innerHTML = (view.by.length > 1 ? option('', 'nothing') : '') + pairs.map(([value, label]) => option(value, label)).join('');
  const now = Object.entries(table.reference ?? {})[0];
  select.value = now ? now.join(':') : '';
}

// ---- nothing chosen yet ------------------------------------------------------------------
function paint_offers() {
  const panel = $('#start-panel');
  panel.hidden = chosen();
  if (chosen()) { panel.ready(); return; }                     // a hidden panel waits for nothing
  if (!view.suggestions.length) {
    const why = view.tags.length ? 'No runs differ in one tag only. Choose a tag to group by above, or pick jobs in the list of jobs.'
      : 'Give runs tags: wattline run --tag batch_size=512 -- python train.py, or “tags” in POST /api/v1/jobs. Runs that differ in one tag are offered here.';
    panel.empty({ what: 'Nothing to compare yet', why, links: [{ label: 'Pick jobs', href: '/jobs' }] });
    return;
  }
  panel.ready({ unit: 'runs that differ in one tag' });
  $('#offers').innerHTML = view.suggestions.map(offer).join('');
}

function offer(s) {
  const target = new URLSearchParams([['by', s.by], ...(s.ids.length ? s.ids.map((id) => ['id', id]) : s.where.map(([tag, value]) => ['tag', `${tag}:${value}`]))]);
  const shown = s.values.map(([value]) => value).sort(s.numeric ? (a, b) => a - b : undefined);
  const values = shown.length > 5 ? `${shown.slice(0, 3).join(', ')} … ${shown.at(-1)}` : shown.join(', ');
  const where = s.where.map(([tag, value]) => `<span class="tag" title="${escape(words(tag))}">${escape(/^[\d.]+$|^(true|false)$/.test(value) ? `${words(tag)} ${value}` : value)}</span>`).join('');
  return `<li><div><a href="/compare?${escape(target)}"><b>${escape(words(s.by))}</b>: ${escape(values)}</a><div class="where">${where}</div></div>
    <span class="num soft">${num(s.values.length)} groups · ${num(s.runs)} runs</span></li>`;
}

// ---- panels ------------------------------------------------------------------------------
function paint_bars() {
  const figures = view.figures;
  const options = Object.fromEntries(Object.keys(figures).filter((key) => !['gains', 'costs'].includes(key)).map((key) => [key, MEASURES[key] ?? `J per ${one_of(key)}`]));
  const seg = $('#measure');
  if (seg.dataset.keys !== Object.keys(options).join()) {
    const fresh = seg.cloneNode();
    fresh.dataset.keys = Object.keys(options).join();
    seg.replaceWith(fresh);
    choices(fresh, 'measure', options, 'energy_j', paint_bars);
  }
  const measure = read('measure', 'energy_j') in options ? read('measure', 'energy_j') : 'energy_j';
  $('#bars').style.height = `${Math.min(900, view.bars_px)}px`;
  $('#bars-panel').figure($('#bars'), figures[measure], { source: source('/studies/groups') });
}

function paint_caps() {
  const { caps, figures, caps_why: why } = view;
  ['gains', 'costs', 'caps'].forEach((name) => { $(`#${name}-panel`).hidden = !caps; });
  if (!caps) {
    $('#caps-panel').hidden = !why;
    if (why) $('#caps-panel').empty({ what: 'No power-cap panel', why });
    return;
  }
  const api = source('/studies/power-cap', { reference: caps.reference }, ['reference']);
  $('#gains-panel').figure($('#gains'), figures.gains, { source: api });
  $('#gains-note').textContent = figures.gains.notes.join(' ');
  $('#costs-panel').figure($('#costs'), figures.costs, { source: api });
  $('#caps-panel').ready({ unit: 'bold: best of a column' });
  $('#caps').innerHTML = caps_table(caps);
  const best = caps.best;
  $('#caps-note').textContent = `Against ${words(caps.by).replace(/, (\w+)$/, '')} ${num(caps.reference, caps.reference % 1 ? 2 : 0)}. Highest energy gain at ${best.energy_gain_pct.cap} (${num(best.energy_gain_pct.value, 2)}${THIN}%), gain − loss at ${best.difference_pct.cap} (${num(best.difference_pct.value, 2)} points), EDP at ${best.edp_gain_pct.cap} (${num(best.edp_gain_pct.value, 2)}${THIN}%), ${Object.entries(best.eds_gain_pct).map(([k, b]) => `EDS, k = ${k} at ${b.cap} (${num(b.value, 2)}${THIN}%)`).join(', ')}.`;
}

function paint_table() {
  const { table } = view;
  $('#table-panel').ready({ unit: `n runs, ${table.method === 'counter' ? 'energy registers' : 'integral of power'} for all of them` });
  $('#table').innerHTML = groups_table(table, view.by);
  const against = table.reference ? `Ratios against ${Object.values(table.reference).join(', ')}${view.by.length > 1 ? ' where all else is the same' : ''}, ± propagated to first order from both standard deviations, runs taken as independent. ` : '';
  $('#basis').textContent = `${against}Method: ${table.method_why}. Uncertainty: of the meters, expanded, k = ${table.k}, the largest of a group; what the meters of two groups have in common cancels in a ratio.`;
  const left = table.excluded;
  $('#left-panel').hidden = !left.length;
  if (left.length) {
    $('#left-panel').ready({ heading: `${num(left.length)} ${left.length === 1 ? 'job does' : 'jobs do'} not count` });
    $('#left').innerHTML = left_table(left);
  }
  $('#warnings').hidden = !table.warnings.length;
  $('#warnings').innerHTML = table.warnings.map((text) => `<li>${icon('warn')}${escape(text)}</li>`).join('');
}

function paint_take() {
  const { table, caps } = view;
  const n = table ? table.jobs : 0;
  $('#of').textContent = table && table.groups.length ? `${n} ${n === 1 ? 'run' : 'runs'} in ${table.groups.length} ${table.groups.length === 1 ? 'group' : 'groups'}` : '';
  const button = (href, label, kind) => `<a class="btn" href="${escape(href)}" download>${icon('down')}${label}<small>${kind}</small></a>`;
  $('#take').innerHTML = !n ? '' : button(source('/studies/groups.csv'), 'Groups', 'CSV')
    + (caps ? button(source('/studies/power-cap.csv', { reference: caps.reference }, ['reference']), 'Caps', 'CSV') : '')
    + button(source('/studies/groups/report.html'), 'Report', 'HTML');
}

// ---- all of it ---------------------------------------------------------------------------
async function load_overlay() {
  const mine = asked;
  const panel = $('#overlay-panel');
  const extra = { time: read('time', 'fraction'), of: read('of', 'node') };
  try {
    const answer = await get(`/views/compare/overlay?${new URLSearchParams([...query(['reference']), ...Object.entries(extra)])}`);
    if (mine !== asked) return;
    panel.figure($('#overlay'), answer.figures.overlay, { source: source('/studies/curves', extra, ['reference']) });
    $('#overlay-note').textContent = [answer.note, extra.time === 'fraction' ? 'Thin: single runs. Thick: mean of a group; shaded ± standard deviation.' : ''].join(' ').trim();
  } catch (problem) {
    fail(problem, [panel], load_overlay);
  }
}

function fail(problem, panels, retry) {
  if (!('hint' in problem)) console.error(problem);
  panels.forEach((p) => p.error(problem, retry));
}

function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_choices(); paint_offers(); paint_take();
  const { table } = view;
  $('#compare').hidden = !table;
  if (!table) {
    $('#warnings').hidden = true;
    document.querySelectorAll('#compare wl-panel').forEach((p) => p.ready());
    return;
  }
  if (!table.groups.length) {
    $('#start-panel').hidden = false;
    $('#start-panel').empty({ what: 'No run counts here', why: table.excluded.length ? 'All jobs that match are left out, see below.' : 'No job matches these filters.', links: [{ label: 'Begin anew', href: '/compare' }] });
    ['overlay', 'bars', 'table', 'gains', 'costs', 'caps'].forEach((name) => { $(`#${name}-panel`).hidden = true; $(`#${name}-panel`).ready(); });
    paint_table();
    $('#table-panel').hidden = true;
    return;
  }
  ['overlay', 'bars', 'table'].forEach((name) => { $(`#${name}-panel`).hidden = false; });
  paint_table(); paint_bars(); paint_caps();
  load_overlay();
}

async function load() {
  const mine = asked += 1;
  try {
    const answer = await get(`/views/compare?${query()}`);
    if (mine === asked) paint(answer);
  } catch (problem) {
    if (mine !== asked) return;
    $('#compare').hidden = true;
    $('#start-panel').hidden = false;
    document.querySelectorAll('#compare wl-panel').forEach((p) => p.ready());
    fail(problem, [$('#start-panel')], load);
  }
}

$('#choose').addEventListener('submit', (event) => event.preventDefault());
$('#choose').addEventListener('change', ({ target }) => {
  if (target.name === 'reference') go((p) => { p.delete('reference'); if (target.value) p.set('reference', target.value); });
  else if (target.value) add(target.name, target.value);
});
document.addEventListener('click', (event) => {
  const { drop: key, value } = event.target.closest('[data-drop]')?.dataset ?? {};
  if (key === 'id') go((p) => p.delete('id'));
  else if (key) drop(key, value);
  const fold = event.target.closest('button.fold');
  if (fold) {
    const open = fold.getAttribute('aria-expanded') === 'true';
    fold.setAttribute('aria-expanded', String(!open));
    fold.closest('tr').nextElementSibling.hidden = open;
  }
});
addEventListener('popstate', load);
choices($('#time'), 'time', TIMES, 'fraction', load_overlay);
choices($('#what'), 'of', OF, 'node', load_overlay);
load();
