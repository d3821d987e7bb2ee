// @ts-check
// The readings of a device as tables: value, limit, what a point powers, its course in the window, age, and its file.
import { path } from '../core/api.js';
import { num, THIN } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';
import { aged } from '../live/ages.js';
import { sparkline } from '../parts/sparkline.js';

/** @import { PointGroup, PointRow } from '../answers.js' */
/** @typedef {{ device: string, point: string, window: { from: string, to: string } }} Shown */

/** @type {Record<string, [short: string, digits: number]>} */
const QUANTITIES = {
  power: ['W', 0],
  apparent_power: ['VA', 0],
  reactive_power: ['var', 0],
  current: ['A', 2],
  voltage: ['V', 1],
  power_factor: ['PF', 2],
  frequency: ['Hz', 2],
  temperature: ['°C', 1],
  humidity: ['% RH', 0],
  utilization: ['%', 0],
  power_limit: ['W limit', 0],
  state: ['state', 0],
};

/** @param {string} quantity */
export const column = (quantity) => QUANTITIES[quantity]?.[0] ?? quantity.replaceAll('_', ' ');

/**
 * @param {number | null} value
 * @param {string} quantity
 */
export const reading = (value, quantity) => num(value, QUANTITIES[quantity]?.[1] ?? 2);

/**
 * @param {PointRow} row
 * @param {string} quantity
 */
export const value_of = (row, quantity) => row.values.find((v) => v.quantity === quantity);

/**
 * @param {PointRow} row
 * @param {string} quantity
 */
export function value_cell(row, quantity) {
  const found = value_of(row, quantity);
  const of = ` data-quantity="${escape(quantity)}"`;
  if (!found) return `<td class="num mute"${of}></td>`;
  if (found.value !== null) return `<td class="num"${of}><b>${reading(found.value, quantity)}</b></td>`;
  const last = found.last === null ? '' : ` title="last ${reading(found.last, quantity)}"`;
  return `<td class="num mute"${of}${last}>–</td>`;
}

/** @param {PointRow} row */
export function limit_cell({ limit, values }) {
  if (!limit) return '<td></td>';
  const now = values.find((v) => v.quantity === limit.quantity)?.value ?? null;
  const of = `${num(limit.value, Number.isInteger(limit.value) ? 0 : 1)}${THIN}${escape(limit.unit)}`;
  const over = limit.share_pct !== null && limit.share_pct >= 100;
  const words = over ? `${icon('crit', 'crit')} over ${of}` : `of ${of}`;
  const bar = now === null ? 'class="track none"' : 'class="track"';
  return markup`
    <td class="lim"><span ${bar}><i class="${over ? 'bad' : ''}"
    style="width:${Math.min(100, limit.share_pct ?? 0)}%"></i></span>
    <span class="${over ? 'crit nb' : 'mute nb'}">${words}</span></td>
  `;
}

/** @param {PointRow} row */
const powers = ({ nodes }) =>
  nodes
    .map(({ key, label }) => `<a class="link" href="/nodes/${encodeURIComponent(key)}">${escape(label)}</a>`)
    .join(', ');

/** @param {PointRow} row */
export function age_cell(row) {
  if (row.t === null) return '<td class="num mute since">no reading</td>';
  const age = aged(row.t, 'span');
  return row.is_current
    ? `<td class="num mute since">${age}</td>`
    : `<td class="num warn nb since">${icon('lost')} silent ${age}</td>`;
}

/**
 * Return the address of the readings of a point as a file.
 * @param {Shown} shown
 * @param {string} point
 * @param {string} quantity
 */
export const file_of = ({ device, window: { from, to } }, point, quantity) =>
  path(`/devices/${encodeURIComponent(device)}/curve.csv`, { point, quantity, from, to });

/**
 * @param {PointRow} row
 * @param {PointGroup} group
 * @param {Shown} shown
 * @param {{ powers: boolean, limits: boolean, energy: boolean }} has
 */
function point_row(row, group, shown, has) {
  const quantities = Object.keys(group.quantities);
  const name = escape(row.name);
  const more = row.label ? ` <span class="mute">${escape(row.label)}</span>` : '';
  const file = row.main
    ? markup`
        <a class="iconbtn" href="${escape(file_of(shown, row.point, row.main))}" download
        title="${name} in this window as CSV" aria-label="${name} in this window as CSV">${icon('down')}</a>
      `
    : '';
  const on = row.point === shown.point;
  return markup`
    <tr data-point="${escape(row.point)}"${on ? ' data-on' : ''}>
    <td class="nb"><button type="button" class="plain" aria-pressed="${on}">${name}</button>${more}</td>
    ${has.powers ? `<td class="to">${powers(row)}</td>` : ''}${has.limits ? limit_cell(row) : ''}
    ${quantities.map((q) => value_cell(row, q)).join('')}
    ${has.energy ? `<td class="num kwh">${row.energy_j === null ? '' : num(row.energy_j / 3.6e6, 2)}</td>` : ''}
    <td class="sp">${sparkline(row.course)}</td>${age_cell(row)}<td class="act">${file}</td></tr>
  `;
}

/**
 * Return a group of points as a table; `window` is how the window is called: '24 h'.
 * @param {PointGroup} group
 * @param {Shown} shown
 * @param {string} label
 */
export function point_table(group, shown, label) {
  const has = {
    powers: group.rows.some((r) => r.nodes.length),
    limits: group.rows.some((r) => r.limit),
    energy: group.rows.some((r) => r.energy_j !== null),
  };
  const heads = Object.keys(group.quantities).map(
    (q) => `<th class="num" data-quantity="${escape(q)}">${escape(column(q))}</th>`,
  );
  return markup`
    <table class="points"><caption>${escape(group.name)} <span class="mute">${group.rows.length}</span></caption>
    <thead><tr><th>Point</th>${has.powers ? '<th>Powers</th>' : ''}${has.limits ? '<th>Limit</th>' : ''}
    ${heads.join('')}${has.energy ? `<th class="num kwh">kWh in ${label}</th>` : ''}<th>${label}</th>
    <th class="num">Age</th><th><span class="vh">File</span></th></tr></thead>
    <tbody>${group.rows.map((r) => point_row(r, group, shown, has)).join('')}</tbody></table>
  `;
}
