// @ts-check
// The tables of the compare page: groups with mean ± std and ratios, caps against the reference, excluded jobs.
import { clock, coverage, day, duration, MISSING, num, THIN } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';

/** @import { Cap, Excluded, Group, GroupTable, Num, PowerCap, Ratio, Run, Scatter } from '../answers.js' */

/** @typedef {[name: string, size: number]} Unit */

/** @param {string} unit */
export const one_of = (unit) => unit.replace(/ies$/, 'y').replace(/([^y])s$/, '$1');

/** @type {Record<string, string>} */
const UNITS = { w: 'W', kw: 'kW', mhz: 'MHz' };

/**
 * power_cap_w: power cap, W
 * @param {string} tag
 */
export const words = (tag) => tag.replace(/_(w|kw|mhz)$/, (_, unit) => `, ${UNITS[unit]}`).replaceAll('_', ' ');

/** @param {string} color  '@token' or '@token/.1' */
function css(color) {
  const [token, alpha] = color.slice(1).split('/');
  return `color-mix(in srgb, var(--${token}) ${100 * Number(alpha ?? 1)}%, transparent)`;
}

/**
 * Return how many decimals give n significant digits.
 * @param {number} x
 * @param {number} n
 */
const decimals = (x, n) => (x === 0 ? 0 : Math.max(0, n - 1 - Math.floor(Math.log10(Math.abs(x)))));

/**
 * @param {Num} std
 * @param {number} digits
 */
const plus_minus = (std, digits) =>
  std === null || std === undefined ? '' : ` <span class="mute">± ${num(std, digits)}</span>`;

/**
 * 680.7 ± 6.7: two digits of the scatter, as many of the mean; app/presentation/text/measures.py writes the same.
 * @param {Scatter} scatter
 */
export function scattered({ mean, std }, per = 1) {
  if (mean === null) return MISSING;
  if (!std) return `${num(mean / per, decimals(mean / per, 4))}${plus_minus(std, 0)}`;
  const n = decimals(std / per, 2);
  return `${num(mean / per, n)}${plus_minus(std / per, n)}`;
}

/**
 * @param {Group[]} rows
 * @param {'energy_j' | 'mean_power_w' | 'duration_s'} key
 */
const top = (rows, key) => Math.max(...rows.map((r) => r[key].mean ?? 0));

/**
 * @param {number} joules
 * @returns {Unit}
 */
const energy_unit = (joules) => (joules < 3.6e6 ? ['Wh', 3600] : joules < 3.6e10 ? ['kWh', 3.6e6] : ['MWh', 3.6e9]);

/**
 * @param {number} watts
 * @returns {Unit}
 */
const power_unit = (watts) => (watts < 1000 ? ['W', 1] : ['kW', 1000]);

/**
 * @param {number} seconds
 * @returns {Unit}
 */
const time_unit = (seconds) => (seconds < 180 ? ['s', 1] : seconds < 10800 ? ['min', 60] : ['h', 3600]);

/** @param {Ratio | null | undefined} ratio */
function times(ratio) {
  if (!ratio || ratio.value === null) return '<span class="mute">–</span>';
  const n = ratio.std ? Math.min(4, decimals(ratio.std, 2)) : ratio.value < 20 ? 2 : 1;
  return `${num(ratio.value, n)}${plus_minus(ratio.std, n)}`;
}

/** @param {string} title */
const numbers_heading = (title) => `<th scope="col" class="num">${escape(title)}</th>`;

/**
 * @template Row
 * @typedef {[title: string, cell: (row: Row) => string]} Column
 */

/**
 * @param {Group[]} rows
 * @param {Unit} energy
 * @param {Unit} power
 * @returns {Column<Group>[]}
 */
function group_columns(rows, [e, per_e], [p, per_p]) {
  const [t, per_t] = time_unit(top(rows, 'duration_s'));
  const units = [...new Set(rows.flatMap((r) => Object.keys(r.j_per)))];
  const compared = rows.some((r) => r.ratio);
  /**
   * @param {string} title
   * @param {string} key
   * @returns {Column<Group>[]}
   */
  const ratio = (title, key) => (compared ? [[title, (r) => times(r.ratio?.[key])]] : []);
  /** @type {(unit: string) => Column<Group>} */
  const per_unit = (unit) => [`J per ${one_of(unit)}`, (r) => (r.j_per[unit] ? scattered(r.j_per[unit]) : MISSING)];
  return [
    ['Runs', (r) => num(r.n)],
    [`Energy, ${e}`, (r) => `<b>${scattered(r.energy_j, per_e)}</b>`],
    ...ratio('Energy ×', 'energy_j'),
    [`Mean power, ${p}`, (r) => scattered(r.mean_power_w, per_p)],
    ...ratio('Power ×', 'mean_power_w'),
    [`Run time, ${t}`, (r) => scattered(r.duration_s, per_t)],
    ...ratio('Time ×', 'duration_s'),
    [`Max, ${p}`, (r) => scattered(r.max_power_w, per_p)],
    ...units.flatMap((unit) => [per_unit(unit), ...ratio('×', unit)]),
    ['Coverage', (r) => (r.coverage < 0.99 ? `${icon('warn', 'warn')} ` : '') + coverage(r.coverage)],
    ['Uncertainty', (r) => (r.uncertainty_pct === null ? MISSING : `±${THIN}${num(r.uncertainty_pct, 1)}${THIN}%`)],
  ];
}

/**
 * @param {GroupTable} table
 * @param {string[]} by
 */
export function groups_table({ groups, reference }, by) {
  const energy = energy_unit(top(groups, 'energy_j'));
  const power = power_unit(top(groups, 'mean_power_w'));
  const columns = group_columns(groups, energy, power);
  /** @param {Group} r */
  const is_reference = (r) => reference && Object.entries(reference).every(([tag, value]) => r.tags[tag] === value);
  /** @param {Group} r */
  const row = (r) => markup`
    <tr class="${is_reference(r) ? 'reference' : ''}"><td class="name"><span><i style="background:${css(r.color)}"></i>
    <button type="button" class="fold" aria-expanded="false">${escape(r.label)}</button>
    ${is_reference(r) ? ' <small>reference</small>' : ''}</span></td>
    ${columns.map(([, cell]) => `<td class="num">${cell(r)}</td>`).join('')}</tr>
    <tr class="runs" hidden><td colspan="${columns.length + 1}">${runs_table(r, energy, power)}</td></tr>
  `;
  return markup`
    <caption class="vh">Groups of runs</caption>
    <thead><tr><th scope="col">${escape(by.map(words).join(' · '))}</th>
    ${columns.map(([title]) => numbers_heading(title)).join('')}</tr></thead>
    <tbody>${groups.map(row).join('')}</tbody>
  `;
}

/**
 * @param {Group} group
 * @param {Unit} energy
 * @param {Unit} power
 */
function runs_table(group, [e, per_e], [p, per_p]) {
  /**
   * @param {number | null} x
   * @param {number} per
   */
  const fine = (x, per) => (x === null ? MISSING : num(x / per, decimals(x / per, 4)));
  /** @param {Run} r */
  const row = (r) => markup`
    <tr><td><a class="link" href="/jobs/${encodeURIComponent(r.id)}">${escape(r.name)}</a></td>
    <td class="soft">${day(r.start)} ${clock(r.start)}</td><td class="num">${fine(r.energy_j, per_e)}</td>
    <td class="num">${fine(r.mean_power_w, per_p)}</td><td class="num">${duration(r.duration_s)}</td>
    <td class="num">${coverage(r.coverage)}</td></tr>
  `;
  return markup`
    <table><thead><tr><th scope="col">Run</th><th scope="col">Started</th>
    ${[e, p, 'Run time', 'Coverage'].map(numbers_heading).join('')}</tr></thead>
    <tbody>${group.runs.map(row).join('')}</tbody></table>
  `;
}

/**
 * @param {PowerCap} caps
 * @returns {[title: string, cell: (cap: Cap) => string, best?: number][]}
 */
function cap_columns({ best }) {
  /**
   * @param {number} x
   * @param {number | null} std
   */
  const percent = (x, std) => `${num(x, 2)}${plus_minus(std, 2)}`;
  return [
    ['Runs', (c) => num(c.n)],
    ['Energy gain, %', (c) => percent(c.energy_gain_pct, c.energy_gain_pct_std), best.energy_gain_pct?.cap],
    ['Performance loss, %', (c) => percent(c.performance_loss_pct, c.performance_loss_pct_std)],
    ['Gain − loss, points', (c) => num(c.difference_pct, 2), best.difference_pct?.cap],
    ['EDP', (c) => num(c.edp, 4)],
    ['EDP gain, %', (c) => num(c.edp_gain_pct, 2), best.edp_gain_pct?.cap],
    ...Object.entries(best.eds_gain_pct).flatMap(
      /** @returns {[string, (cap: Cap) => string, number?][]} */
      ([k, found]) => [
        [`EDS, k = ${k}`, (c) => num(c.eds[k], 4)],
        ['gain, %', (c) => num(c.eds_gain_pct[k], 2), found?.cap],
      ],
    ),
  ];
}

/** @param {PowerCap} caps */
export function caps_table(caps) {
  const columns = cap_columns(caps);
  /** @param {Cap} c */
  const row = (c) => {
    const is_reference = c.cap === caps.reference;
    const cells = columns.map(([, cell, best]) => `<td class="num${best === c.cap ? ' best' : ''}">${cell(c)}</td>`);
    return markup`
      <tr class="${is_reference ? 'reference' : ''}"><td>${num(c.cap, c.cap % 1 ? 2 : 0)}
      ${is_reference ? ' <small>reference</small>' : ''}</td>${cells.join('')}</tr>
    `;
  };
  return markup`
    <caption class="vh">Caps against the reference</caption>
    <thead><tr><th scope="col">${escape(words(caps.by))}</th>
    ${columns.map(([title]) => numbers_heading(title)).join('')}</tr></thead>
    <tbody>${caps.caps.map(row).join('')}</tbody>
  `;
}

/** @param {Excluded[]} jobs */
export function excluded_table(jobs) {
  const rows = jobs.slice(0, 100).map(
    (j) => markup`
      <tr><td><a class="link" href="/jobs/${encodeURIComponent(j.id)}">${escape(j.name)}</a></td>
      <td style="white-space:normal">${escape(j.detail)}</td></tr>
    `,
  );
  const more = jobs.length - rows.length;
  return markup`
    <caption class="vh">Excluded jobs</caption>
    <thead><tr><th scope="col">Job</th><th scope="col">Reason</th></tr></thead><tbody>${rows.join('')}</tbody>
    ${more > 0 ? `<tfoot><tr><td colspan="2">and ${num(more)} more</td></tr></tfoot>` : ''}
  `;
}

/**
 * Return a line for each group: how it differs from the reference, and whether by more than its runs scatter.
 * @param {GroupTable} table
 */
export const differences = ({ groups, reference_label }) =>
  groups
    .filter((g) => g.difference_text)
    .map(
      (g) => markup`
        <li><b>${escape(g.label)}</b> against ${escape(reference_label)}: ${escape(g.difference_text)}</li>
      `,
    )
    .join('');
