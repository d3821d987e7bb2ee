// @ts-check
// The columns of the table of jobs.
import { path } from '../core/api.js';
import { clock, coverage, day, duration, num, significant, THIN } from '../core/format.js';
import { escape, icon, job_href, markup } from '../core/markup.js';
import { sparkline } from '../parts/sparkline.js';

/** @import { Job, JobRow, Tag } from '../answers.js' */

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: JobRow) => string} cell
 * @property {string} [key]  what the server sorts by
 * @property {boolean} [number]  right-aligned
 * @property {boolean} [small]  shown on a narrow screen too
 * @property {boolean} [rising]  sorted upwards at first
 * @property {string} [class]
 */

const address = () => new URLSearchParams(location.search);
export const picked = () => address().getAll('pick');

/**
 * A number with fixed decimals; a small one has two significant digits.
 * @param {number | null} x
 * @param {number} digits
 */
const at_least = (x, digits) =>
  x !== null && x !== 0 && Math.abs(x) < 10 ** (1 - digits) ? significant(x, 2) : num(x, digits);

/** @param {number | null} joules */
const kwh = (joules) => at_least(joules === null ? null : joules / 3.6e6, 2);
/** @param {number | null} watts */
const kw = (watts) => at_least(watts === null ? null : watts / 1000, 2);

/** @param {number} joules */
export function energy_total(joules) {
  const total = joules / 3.6e6;
  return total >= 10000 ? `${num(total / 1000, 1)}${THIN}MWh` : `${num(total, total >= 100 ? 0 : 1)}${THIN}kWh`;
}

/**
 * Return the run with the most energy, and its curve as a file; nothing without a known energy.
 * @param {Job | undefined} job
 */
export function most_energy(job) {
  const joules = job?.summary?.energy_j ?? null;
  if (!job || joules === null) return '';
  const name = escape(job.name || job.job_id || job.id);
  return markup`
    most energy: <a class="link" ${job_href(job.id)} title="${name}">${name}</a> <b>${energy_total(joules)}</b>
    <a class="btn" href="${escape(path(`/jobs/${encodeURIComponent(job.id)}/curve.csv`))}" download
    title="Every reading of ${name}">${icon('down')}Its curve <small>CSV</small></a>
  `;
}

/** @type {Record<string, string>} */
const STATES = {
  failed: 'crit',
  timeout: 'crit',
  out_of_memory: 'crit',
  node_fail: 'crit',
  cancelled: 'warn',
  preempted: 'warn',
};

/** @param {JobRow} row */
function state(row) {
  if (row.running) return '<span class="running">running</span>';
  const ended = (row.state ?? '').toLowerCase();
  if (!ended || ended === 'completed') return '';
  const sign = STATES[ended];
  return `<span class="${sign ?? 'soft'}">${sign ? `${icon(sign)} ` : ''}${escape(ended.replaceAll('_', ' '))}</span>`;
}

/** @param {JobRow} row */
function name_cell(row) {
  const number = row.job_id && row.job_id.length <= 20 ? row.job_id : '';
  const nodes = row.nodes.length > 1 ? `${row.nodes[0]} + ${row.nodes.length - 1} more` : (row.nodes[0] ?? '');
  const hardware = row.hardware && `<span class="hide-s"> · ${escape(row.hardware)}</span>`;
  const shared = row.shared ? ' · shared' : '';
  const title = escape([number, ...row.nodes.slice(0, 20)].filter(Boolean).join(' '));
  return markup`
    <span class="line" title="${escape(row.name)}"><a href="/jobs/${encodeURIComponent(row.id)}">${escape(row.name)}</a>
    ${' '}<small>${escape(row.kind)}</small>${state(row)}</span>
    <small class="mute line" title="${title}">
    ${[number, nodes].filter(Boolean).map(escape).join(' · ')}${shared}${hardware}</small>
  `;
}

/** @param {Tag} tag */
const tag_text = ([name, value]) =>
  /^[\d.]+$|^(true|false)$/.test(value) ? `${name.replaceAll('_', ' ')} ${value}` : value;

/** @param {JobRow} row */
function tags_cell(row) {
  const chosen = address().getAll('tag');
  const shown = row.tags.filter(([name, value]) => !chosen.includes(`${name}:${value}`)).slice(0, 3);
  const links = shown.map(([name, value]) => {
    const tag = `${name}:${value}`;
    return markup`
      <a class="tag" href="?tag=${encodeURIComponent(tag)}" data-tag="${escape(tag)}"
      title="${escape(`${name}: ${value}`)}">${escape(tag_text([name, value]))}</a>
    `;
  });
  const more = row.tags.length - shown.length;
  const hidden = row.tags.slice(3).map((t) => t.join(': '));
  const rest = more > 0 ? `<span class="mute" title="${escape(hidden.join('\n'))}">+${more}</span>` : '';
  return `<span class="tags">${links.join('')}${rest}</span>`;
}

/**
 * The last moments of a running job are no gap: their readings are still to come.
 * @param {JobRow} row
 */
function covered(row) {
  if (row.coverage === null || row.duration_s === null) return num(null);
  const missing_s = (1 - row.coverage) * row.duration_s;
  const sign = row.coverage < 1 && !(row.running && missing_s < 60) ? `${icon('warn', 'warn')} ` : '';
  return sign + coverage(row.coverage);
}

/** @param {JobRow} row */
function pick_cell(row) {
  const checked = picked().includes(row.id) ? ' checked' : '';
  const name = escape(row.name);
  return `<input type="checkbox" data-pick="${escape(row.id)}" aria-label="Compare ${name}"${checked}>`;
}

/** @type {Column[]} */
export const COLUMNS = [
  { title: '<span class="vh">Compare</span>', small: true, class: 'pick', cell: pick_cell },
  { key: 'name', title: 'Job', small: true, rising: true, cell: name_cell, class: 'name' },
  {
    key: 'start',
    title: 'Started',
    cell: (r) => `${day(r.start)}<br><small>${clock(r.start)}</small>`,
    class: 'nb soft',
  },
  { title: 'Power', small: true, cell: (r) => sparkline(r.sparkline) },
  {
    key: 'energy_j',
    title: 'Energy, kWh',
    number: true,
    small: true,
    class: 'energy',
    cell: (r) => `<b>${kwh(r.energy_j)}</b>${r.running ? '<br><small>so far</small>' : ''}`,
  },
  { key: 'median_w', title: 'Median, kW', number: true, cell: (r) => kw(r.median_w) },
  { key: 'max_w', title: 'Max, kW', number: true, cell: (r) => kw(r.max_w) },
  { key: 'median_of_max', title: 'Median/max', number: true, cell: (r) => num(r.median_of_max, 2), class: 'soft' },
  { key: 'duration_s', title: 'Duration', number: true, cell: (r) => duration(r.duration_s) },
  {
    key: 'utilization',
    title: 'GPU load, %',
    number: true,
    cell: (r) =>
      r.utilization_pct === null ? '<span class="mute" title="no GPU readings">–</span>' : num(r.utilization_pct),
  },
  { key: 'coverage', title: 'Coverage', number: true, small: true, cell: covered },
  { title: 'Tags', cell: tags_cell },
];

/** @param {Column} c */
const classes = (c) => [c.number && 'num', !c.small && 'hide-s', c.class].filter(Boolean).join(' ');

/** @param {JobRow} row */
const table_row = (row) => `<tr>${COLUMNS.map((c) => `<td class="${classes(c)}">${c.cell(row)}</td>`).join('')}</tr>`;

export const sorted_by = () => address().get('sort') || '-start';

/** @param {Column} c */
function heading(c) {
  const sort = sorted_by();
  const falling = sort.startsWith('-');
  const on = c.key === sort.replace(/^-/, '');
  const way = on ? ` <span class="way" aria-hidden="true">${falling ? '↓' : '↑'}</span>` : '';
  const button = c.key ? `<button type="button" data-sort="${c.key}">${c.title}${way}</button>` : c.title;
  const kind = [c.number && 'num', !c.small && 'hide-s'].filter(Boolean).join(' ');
  const order = on ? ` aria-sort="${falling ? 'descending' : 'ascending'}"` : '';
  return `<th scope="col" class="${kind}"${order}>${button}</th>`;
}

/** @param {JobRow[]} rows */
export const jobs_table = (rows) => markup`
  <caption class="vh">Jobs with their energy, power and load</caption>
  <thead><tr>${COLUMNS.map(heading).join('')}</tr></thead><tbody>${rows.map(table_row).join('')}</tbody>
`;
