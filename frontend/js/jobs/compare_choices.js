// @ts-check
// What the compare page compares: the tags to group by, the filters, the reference; and what it offers at first.
import { $, fill } from '../core/dom.js';
import { count } from '../core/format.js';
import { escape, markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';
import { words } from './compare_tables.js';

/** @import { CompareView, Suggestion } from '../answers.js' */

const FILTERS = ['tag', 'user', 'project', 'cluster', 'node', 'state', 'q', 'coverage', 'min_coverage'];
const address = () => new URLSearchParams(location.search);
export const is_chosen = () => ['by', 'id'].some((key) => address().has(key));

/**
 * @param {string} value
 * @param {string} label
 */
const option = (value, label) => `<option value="${escape(value)}">${escape(label)}</option>`;

/**
 * @param {string} key
 * @param {string} value
 * @param {string} text
 */
const chip = (key, value, text) => markup`
  <span class="chip"><span>${escape(text)}</span><button type="button" data-drop="${escape(key)}"
  data-value="${escape(value)}" aria-label="Remove ${escape(text)}">×</button></span>
`;

/** @param {CompareView} view */
export function paint_choices(view) {
  const here = address();
  const by = here.getAll('by');
  const tags = view.tags.filter((t) => !t.tag.startsWith('official_')); // figures of a benchmark, no configuration
  const several = tags.filter((t) => t.distinct > 1 && !by.includes(t.tag));
  fill(
    $('select[name="by"]'),
    [
      option('', by.length ? 'and a tag…' : 'a tag…'),
      ...several.map((t) => option(t.tag, `${words(t.tag)} (${t.distinct})`)),
    ].join(''),
  );
  $('select[name="by"]', HTMLSelectElement).value = '';
  fill($('#by'), by.map((tag) => chip('by', tag, words(tag))).join(''));
  const groups = tags.map((t) => {
    const values = t.values.slice(0, 40).map((v) => option(`${t.tag}:${v.value}`, `${v.value} (${v.jobs})`));
    return `<optgroup label="${escape(words(t.tag))}">${values.join('')}</optgroup>`;
  });
  fill($('select[name="tag"]'), option('', 'jobs with…') + groups.join(''));
  $('select[name="tag"]', HTMLSelectElement).value = '';
  const filters = FILTERS.flatMap((key) =>
    here
      .getAll(key)
      .map((value) => chip(key, value, key === 'tag' ? value.replace(':', ': ') : `${words(key)} ${value}`)),
  );
  const ids = here.getAll('id').length;
  fill($('#only'), filters.join('') + (ids ? chip('id', '', count(ids, 'chosen job')) : ''));
  paint_reference(view);
}

/** @param {CompareView} view */
function paint_reference({ table, by, caps }) {
  const is_number = (/** @type {string} */ value) => value !== '' && Number.isFinite(Number(value));
  const values = table && by.length === 1 && by[0] !== 'id' ? table.groups.map((g) => g.tags[by[0]]) : [];
  $('#cap-label').hidden = caps !== null || values.length < 2 || !values.every(is_number);
  $('input[name="cap"]', HTMLInputElement).checked = false;
  $('#reference-label').hidden = !table || table.groups.length < 2;
  if (!table) return;
  const [first] = by;
  const pairs =
    by.length === 1
      ? table.groups.map((g) => [`${first}:${g.tags[first]}`, g.label])
      : by.flatMap((tag) =>
          [...new Set(table.groups.map((g) => g.tags[tag]))].map((v) => [`${tag}:${v}`, `${words(tag)} ${v}`]),
        );
  const select = $('select[name="reference"]', HTMLSelectElement);
  fill(
    select,
    [...(by.length > 1 ? [['', 'nothing']] : []), ...pairs].map(([value, label]) => option(value, label)).join(''),
  );
  const now = Object.entries(table.reference ?? {})[0];
  select.value = now ? now.join(':') : '';
}

/** @param {CompareView} view */
export function paint_offers({ suggestions, tags }) {
  const panel = $('#start-panel', Panel);
  panel.hidden = is_chosen();
  if (is_chosen()) {
    panel.ready(); // a hidden panel does not wait for data
    return;
  }
  if (!suggestions.length) {
    const why = tags.length
      ? 'No runs differ in one tag only. Choose a tag to group by above, or pick jobs in the list of jobs.'
      : 'Give runs tags: wattline run --tag batch_size=512 -- python train.py, or “tags” in POST /api/v1/jobs. ' +
        'Runs that differ in one tag appear here.';
    panel.empty({ what: 'Nothing to compare yet', why, links: [{ label: 'Pick jobs', href: '/jobs' }] });
    return;
  }
  panel.ready({ unit: 'runs that differ in one tag' });
  fill($('#offers'), suggestions.map(offer).join(''));
}

/** @param {Suggestion} s */
function offer(s) {
  const same = s.ids.length ? s.ids.map((id) => ['id', id]) : s.where.map((tag) => ['tag', tag.join(':')]);
  const target = new URLSearchParams([['by', s.by], ...same]);
  const shown = s.values.map(([value]) => value).sort(s.numeric ? (a, b) => Number(a) - Number(b) : undefined);
  const values = shown.length > 5 ? `${shown.slice(0, 3).join(', ')} … ${shown.at(-1)}` : shown.join(', ');
  const where = s.where.map(([tag, value]) => {
    const text = /^[\d.]+$|^(true|false)$/.test(value) ? `${words(tag)} ${value}` : value;
    return `<span class="tag" title="${escape(words(tag))}">${escape(text)}</span>`;
  });
  return markup`
    <li><div><a href="/compare?${escape(target)}"><b>${escape(words(s.by))}</b>: ${escape(values)}</a>
    <div class="where">${where.join('')}</div></div>
    <span class="num soft">${count(s.values.length, 'group')} · ${count(s.runs, 'run')}</span></li>
  `;
}

// A group keeps its colour while others come and go: groups that were shown are kept in the address, in order.
/** @param {CompareView} view */
export function pin_colors(view) {
  const here = new URL(location.href);
  const pins = here.searchParams.getAll('pin');
  const is_single = view.by.length === 1 && view.by[0] === 'id';
  const fresh = (view.table?.groups ?? []).map((g) => g.key).filter((key) => !pins.includes(key));
  if (!fresh.length || is_single || pins.length + fresh.length > 50) return;
  for (const key of fresh) here.searchParams.append('pin', key);
  history.replaceState(null, '', here);
}
