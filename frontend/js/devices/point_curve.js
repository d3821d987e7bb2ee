// @ts-check
// The curve of the point that is selected, in the address: ?point=outlet/7&quantity=current.
import { read, write } from '../core/address.js';
import { as_problem, get, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { coverage, moment, num } from '../core/format.js';
import { now_ms } from '../core/live.js';
import { escape, markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';
import { curve_figure, shown_unit } from '../time/curve_figure.js';
import { curve_files } from '../time/curve_files.js';
import { comparison, difference } from '../time/week_before.js';
import { page_window, zoom } from '../time/window.js';
import { column } from './point_table.js';

/** @import { DeviceCurve, DeviceView, PointRow } from '../answers.js' */

const MOST_POINTS = 1500;
let newest = 0;

/**
 * Return the selected point, or the first that has a curve.
 * @param {DeviceView} view
 */
export function selected(view) {
  const rows = view.points.flatMap((g) => g.rows);
  return rows.find((r) => r.point === read('point')) ?? rows.find((r) => r.main) ?? null;
}

/** @param {PointRow} row */
function quantity_of(row) {
  const asked = read('quantity');
  return row.values.some((v) => v.quantity === asked) ? asked : (row.main ?? row.values[0]?.quantity ?? 'power');
}

/**
 * @param {DeviceCurve} found
 * @param {PointRow} row
 */
function headline(found, row) {
  const [one] = found.series;
  const { mean, max, max_at } = one.statistics;
  if (mean === null || max === null) return row.name;
  const [unit, scale] = shown_unit(one.unit, max);
  const digits = unit === 'W' ? 0 : 2;
  const peak = max_at ? ` at ${moment(max_at, now_ms())}` : '';
  return `${row.name}: mean ${num(mean * scale, digits)}, highest ${num(max * scale, digits)} ${unit}${peak}`;
}

/**
 * @param {string} device
 * @param {PointRow} row
 * @param {(address: Record<string, string | null>) => void} select
 */
export async function paint_curve(device, row, select) {
  const panel = $('#curve-panel', Panel);
  const quantity = quantity_of(row);
  paint_quantities(row, quantity, select);
  const { span } = page_window();
  const window = { from: new Date(span[0]).toISOString(), to: new Date(span[1]).toISOString() };
  const source = `/devices/${encodeURIComponent(device)}/curve`;
  const asked = { point: row.point, quantity, max_points: MOST_POINTS };
  const other = comparison();
  const number = (newest += 1);
  try {
    const [found, then] = await Promise.all([
      get(source, { ...asked, ...window }),
      other && get(source, { ...asked, from: other.from, to: other.to }),
    ]);
    if (number === newest) show(panel, row, found, then, span, path(source, { point: row.point, quantity, ...window }));
  } catch (thrown) {
    if (number === newest) panel.error(as_problem(thrown), () => paint_curve(device, row, select));
  }
}

/**
 * @param {Panel} panel
 * @param {PointRow} row
 * @param {DeviceCurve} found
 * @param {DeviceCurve | null} then
 * @param {[number, number]} span
 * @param {string} source
 */
function show(panel, row, found, then, span, source) {
  const [one] = found.series;
  if (!one.t.length) {
    panel.empty({ what: 'No readings in this window', why: `${row.name} was not read in it.` });
    return;
  }
  const other = then && comparison();
  const own = {
    name: row.name,
    unit: one.unit,
    color: '@power',
    t: one.t,
    v: one.v,
    steps: found.quantity === 'state',
  };
  const before = other && then ? then.series[0] : null;
  const series = before && other ? [{ ...own, ...faint(before, other) }, own] : [own];
  const is_limit = row.limit && row.limit.quantity === found.quantity;
  const limit =
    is_limit && row.limit
      ? { value: row.limit.value, text: `limit ${num(row.limit.value, 1)} ${row.limit.unit}` }
      : null;
  const name = `${found.device}-${row.point.replaceAll('/', '-')}-${found.quantity}`;
  const figure = curve_figure(series, span, { title: headline(found, row), name, limit });
  const point = { point: row.point, quantity: found.quantity };
  panel.actions = curve_files(`/devices/${encodeURIComponent(found.device)}/curve`, point);
  panel.figure($('#curve'), figure, { source, zoom });
  const notes = [before && other ? difference(one, before, other.name) : '', `Coverage ${coverage(one.coverage)}.`];
  if (found.power_basis === 'derived') notes.push('Power derived from the energy register.');
  $('#curve-notes').textContent = notes.filter(Boolean).join(' ');
}

/**
 * @param {DeviceCurve['series'][number]} before
 * @param {{ name: string, shift_ms: number }} other
 */
const faint = (before, { name, shift_ms }) => ({
  name,
  color: '@idle',
  t: before.t,
  v: before.v,
  shift_ms,
  faint: true,
});

/**
 * @param {PointRow} row
 * @param {string} quantity
 * @param {(address: Record<string, string | null>) => void} select
 */
function paint_quantities(row, quantity, select) {
  const buttons = row.values.map(
    ({ quantity: q }) => markup`
      <button type="button" data-quantity="${escape(q)}" title="${escape(q.replaceAll('_', ' '))}"
      aria-pressed="${q === quantity}">${escape(q === 'energy' ? 'register' : column(q))}</button>
    `,
  );
  fill($('#quantity'), buttons.join(''));
  $('#quantity').onclick = ({ target }) => {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest('[data-quantity]'));
    if (button?.dataset.quantity) select({ point: row.point, quantity: button.dataset.quantity });
  };
}

/** @param {Record<string, string | null>} address */
export const select_in_address = (address) => write(address);
