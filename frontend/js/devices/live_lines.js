// @ts-check
// Line currents of the live stream in the readings of a device: values first, then the cells of their rows.
import { age_cell, limit_cell, value_cell } from './point_table.js';

/** @import { PointGroup, PointRow } from '../answers.js' */

/**
 * Take line currents [A] by point, read at `t` [ms]; return the rows that changed.
 * @param {PointGroup[]} groups
 * @param {Record<string, number | null>} amps
 * @param {number | null} t
 */
export function take_lines(groups, amps, t) {
  /** @type {PointRow[]} */
  const changed = [];
  for (const row of groups.flatMap((group) => group.rows)) {
    const found = row.values.find(({ quantity }) => quantity === 'current');
    if (!found || !(row.point in amps)) continue;
    const now = amps[row.point];
    if (now === null) found.last = found.value ?? found.last;
    found.value = now;
    if (now !== null && t !== null) Object.assign(row, { t: new Date(t).toISOString(), is_current: true });
    const { limit } = row;
    if (limit?.quantity === 'current') limit.share_pct = now === null ? null : (now / limit.value) * 100;
    changed.push(row);
  }
  return changed;
}

/**
 * Write a row's currents, limit and age into its cells; the row itself stays, and with it the focus.
 * @param {HTMLElement} table
 * @param {PointRow} row
 */
export function paint_line(table, row) {
  const line = table.querySelector(`tr[data-point="${CSS.escape(row.point)}"]`);
  /** @param {string} selector @param {string} html */
  const set = (selector, html) => {
    const cell = line?.querySelector(selector);
    if (cell) cell.outerHTML = html;
  };
  set('[data-quantity="current"]', value_cell(row, 'current'));
  if (row.limit) set('.lim', limit_cell(row));
  set('.since', age_cell(row));
}
