// @ts-check
// The comparison of a chart: the same curve a week or a window before, drawn faint behind it and never part of a sum.
import { get } from '../core/api.js';
import { num } from '../core/format.js';
import { statistics_of } from './curve_figure.js';
import { compared, before_name } from './window_state.js';
import { page_window } from './window.js';
import { zone_name } from './zone.js';

/** @import { Figure } from '../answers.js' */
/** @typedef {{ coverage: number, t: number[], v: (number | null)[] }} Curve */

const ENOUGH = 0.9; // below this coverage no difference is stated

/**
 * Return the window that the page is compared with, how far it is from the page's, and what it is called.
 * @returns {{ from: string, to: string, shift_ms: number, name: string } | null}
 */
export function comparison() {
  const { span, compare } = page_window();
  if (!compare) return null;
  const [start, end] = compared(span, compare, zone_name());
  const name = compare === 'week' ? 'week before' : before_name(span, zone_name());
  return { from: new Date(start).toISOString(), to: new Date(end).toISOString(), shift_ms: span[0] - start, name };
}

/**
 * Say by how much the mean differs; nothing where either is covered too little.
 * @param {Curve} now
 * @param {Curve} then
 * @param {string} name
 */
export function difference(now, then, name) {
  const [a, b] = [statistics_of(now).mean, statistics_of(then).mean];
  if (then.coverage === 0) return `No readings of the ${name}.`;
  if (a === null || b === null || !b || now.coverage < ENOUGH || then.coverage < ENOUGH) return '';
  const pct = Math.abs((a / b - 1) * 100);
  if (pct < 0.5) return `The mean is that of the ${name}.`;
  return `The mean is ${num(pct, pct < 10 ? 1 : 0)}\u2009% ${a > b ? 'above' : 'below'} that of the ${name}.`;
}

/**
 * Return a figure with the curve of the compared window behind its own.
 * @param {Figure} figure
 * @param {Curve} then
 * @param {{ shift_ms: number, name: string }} how
 * @param {number} scale  of the figure's unit over that of the curve
 */
export function with_before(figure, then, { shift_ms, name }, scale) {
  const stacked = figure.data.some((one) => one.stackgroup || one.fill === 'tonexty');
  const trace = {
    type: 'scatter',
    mode: 'lines',
    name,
    x: then.t.map((t) => t + shift_ms),
    y: then.v.map((v) => (v === null ? NaN : v * scale)),
    line: { color: stacked ? '@ink' : '@idle', width: 1.1, ...(stacked && { dash: 'dot' }) },
    connectgaps: false,
    hovertemplate: `%{y:,.2f} ${figure.unit.split(',')[0]}`,
  };
  const known = trace.y.filter((y) => Number.isFinite(y));
  const top = Math.max(...known, 0);
  const axis = figure.layout?.yaxis;
  const range = axis?.range && axis.range[1] < top * 1.05 ? [axis.range[0], top * 1.08] : axis?.range;
  return {
    ...figure,
    data: stacked ? [...figure.data, /** @type {any} */ (trace)] : [/** @type {any} */ (trace), ...figure.data],
    layout: { ...figure.layout, yaxis: { ...axis, ...(range && { range }) } },
  };
}

/**
 * Draw a figure, and again with the compared curve when that has arrived. The newest call wins.
 * @param {Figure} figure
 * @param {string} source  path of the curve: /racks/r07/curve
 * @param {{ params?: Record<string, string>, scale?: number }} how
 * @param {(figure: Figure, note: string) => void} paint
 */
export async function paint_compared(figure, source, { params = {}, scale = 1e-3 }, paint) {
  paint(figure, '');
  const other = comparison();
  if (!other || figure.empty) return;
  const { from, to } = other;
  const { span } = page_window();
  const own = { from: new Date(span[0]).toISOString(), to: new Date(span[1]).toISOString() };
  const asked = page_window();
  try {
    const [now, then] = await Promise.all(
      [own, { from, to }].map((window) => get(source, { ...params, ...window, max_points: 1000 })),
    );
    if (page_window().compare !== asked.compare || page_window().span[0] - asked.span[0] > 60_000) return;
    const [a, b] = [now.series[0], then.series[0]];
    paint(with_before(figure, b, other, scale), difference(a, b, other.name));
  } catch {
    paint(figure, `The ${other.name} could not be read.`);
  }
}
