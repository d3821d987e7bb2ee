// @ts-check
// A figure from the curves that the API answers: for the device page and Explore. Pure.

/** @import { Figure } from '../answers.js' */

/**
 * @typedef {object} DrawnSeries
 * @property {string} name
 * @property {string} unit  as drawn
 * @property {string} color  a token such as '@power'
 * @property {number[]} t
 * @property {(number | null)[]} v
 * @property {'y' | 'y2' | 'y3'} [axis]
 * @property {boolean} [faint]
 * @property {boolean} [steps]  holds until the next reading, as a state does
 * @property {number} [shift_ms]  drawn so much later
 */

/** @type {Record<string, [unit: string, scale: number, digits: number]>} */
const SHOWN = {
  W: ['kW', 1e-3, 3],
  VA: ['kVA', 1e-3, 3],
  var: ['kvar', 1e-3, 3],
  J: ['kWh', 1 / 3.6e6, 3],
  A: ['A', 1, 2],
  V: ['V', 1, 1],
  '%': ['%', 1, 1],
  '°C': ['°C', 1, 1],
  Hz: ['Hz', 1, 2],
  1: ['', 1, 3],
};
const SMALL_W = 1000;

/**
 * Return how values of a base unit are drawn: the unit, the factor and the decimals; small powers stay in watts.
 * @param {string} unit
 * @param {number} highest  of the values, in the base unit
 * @returns {[unit: string, scale: number, digits: number]}
 */
export function shown_unit(unit, highest) {
  if (['W', 'VA', 'var'].includes(unit) && highest < SMALL_W) return [unit, 1, highest < 10 ? 2 : 0];
  return SHOWN[unit] ?? [unit, 1, 2];
}

/** @param {DrawnSeries[]} series */
const highest = (series) =>
  Math.max(
    0,
    ...series.map(({ v }) => v.reduce((/** @type {number} */ top, x) => (x !== null && x > top ? x : top), 0)),
  );

/**
 * @param {DrawnSeries} one
 * @param {number} scale
 * @param {number} digits
 */
const trace = (one, scale, digits) => ({
  type: 'scatter',
  mode: 'lines',
  name: one.name,
  unit: one.unit,
  x: one.shift_ms ? one.t.map((t) => t + (one.shift_ms ?? 0)) : one.t,
  y: one.v.map((v) => (v === null ? NaN : v * scale)),
  line: { color: one.color, width: one.faint ? 1 : 1.6, ...(one.steps && { shape: 'hv' }) },
  opacity: one.faint ? 0.55 : 1,
  connectgaps: false,
  ...(one.axis && one.axis !== 'y' && { yaxis: one.axis }),
  hovertemplate: `%{y:,.${digits}f} ${one.unit}`,
});

/**
 * @param {DrawnSeries[]} series  of one unit, in the base unit
 * @param {{ limit?: number | null }} [options]
 */
function axis_of(series, { limit = null } = {}) {
  const unit = series[0].unit;
  const [text, scale, digits] = shown_unit(unit, Math.max(highest(series), limit ?? 0));
  const top = Math.max(highest(series), limit ?? 0) * scale || 1;
  const negative = series.some(({ v }) => v.some((x) => x !== null && x < 0));
  const zero = ['V', 'Hz', 'J'].includes(unit);
  return {
    unit: text,
    scale,
    traces: series.map((one) => trace({ ...one, unit: text }, scale, digits)),
    layout: zero || negative ? { rangemode: 'normal', autorange: true } : { range: [0, top * 1.12] },
  };
}

/**
 * Return the figure of series over a window: the first unit on the left axis, the second on the right one.
 * @param {DrawnSeries[]} series
 * @param {[start_ms: number, end_ms: number]} span
 * @param {{ title?: string, name?: string, limit?: { value: number, text: string } | null }} [options]
 * @returns {Figure}
 */
export function curve_figure(series, span, { title = '', name = 'wattline', limit = null } = {}) {
  const units = [...new Set(series.map((one) => one.unit))].slice(0, 2);
  const left = axis_of(
    series.filter((one) => one.unit === units[0]),
    { limit: limit?.value ?? null },
  );
  const right = units[1]
    ? axis_of(series.filter((one) => one.unit === units[1]).map((one) => ({ ...one, axis: 'y2' })))
    : null;
  const y = limit ? limit.value * left.scale : 0;
  return {
    title,
    unit: [left.unit, right?.unit].filter(Boolean).join(', '),
    data: /** @type {any} */ ([...left.traces, ...(right?.traces ?? [])]),
    layout: {
      margin: { l: 44, r: right ? 48 : 16, t: 14, b: 28 },
      xaxis: { type: 'date', range: [...span] },
      yaxis: left.layout,
      ...(right && { yaxis2: { ...right.layout, overlaying: 'y', side: 'right', tickmode: 'auto', showgrid: false } }),
      shapes: limit ? [line(y)] : [],
      annotations: limit ? [note(limit.text, y)] : [],
      meta: { name },
    },
    narrow: {},
    notes: [],
    empty: null,
  };
}

/** @param {number} y */
const line = (y) => ({
  type: 'line',
  xref: 'paper',
  x0: 0,
  x1: 1,
  y0: y,
  y1: y,
  line: { color: '@ink-2', width: 1.2, dash: 'dash' },
});

/**
 * @param {string} text
 * @param {number} y
 */
const note = (text, y) => ({
  xref: 'paper',
  x: 0.008,
  xanchor: 'left',
  y,
  yanchor: 'bottom',
  text,
  showarrow: false,
  font: { size: 11, color: '@ink-2' },
});

/**
 * Return mean and maximum of drawn points, the mean over the covered time.
 * @param {{ t: number[], v: (number | null)[] }} curve
 */
export function statistics_of({ t, v }) {
  let [area, covered] = [0, 0];
  /** @type {{ max: number | null, max_at: number | null }} */
  const top = { max: null, max_at: null };
  v.forEach((x, i) => {
    if (x === null) return;
    if (top.max === null || x > top.max) Object.assign(top, { max: x, max_at: t[i] });
    const before = i ? v[i - 1] : null;
    if (before === null) return;
    area += ((x + before) / 2) * (t[i] - t[i - 1]);
    covered += t[i] - t[i - 1];
  });
  return { mean: covered ? area / covered : top.max, ...top };
}
