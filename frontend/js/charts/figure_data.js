// @ts-check
// The data of a figure: arrays decoded, and the figure as a table. Reports contain this module: it imports nothing.

/** @import { Encoded, Figure, Trace } from '../answers.js' */

const TYPES = { f4: Float32Array, f8: Float64Array, i4: Int32Array, i2: Int16Array, u1: Uint8Array };
/**
 * @param {any} x
 * @returns {x is Encoded}
 */
export const encoded = (x) => x !== null && typeof x === 'object' && typeof x.bdata === 'string';

/**
 * Return an array of numbers as the browser holds it; a matrix becomes an array of rows.
 * @param {any} x
 * @returns {any}
 */
export function numbers(x) {
  if (!encoded(x)) return x;
  const bytes = Uint8Array.from(atob(x.bdata), (c) => c.charCodeAt(0));
  const values = new TYPES[x.dtype](bytes.buffer);
  const { x0_ms } = x;
  if (x0_ms !== undefined) return Float64Array.from(values, (v) => v + x0_ms);
  return x.shape ? matrix(Float64Array.from(values), x.shape) : values;
}

/**
 * @param {Float64Array} values
 * @param {[number, number]} shape
 */
const matrix = (values, [rows, columns]) =>
  Array.from({ length: rows }, (_, r) => values.subarray(r * columns, (r + 1) * columns));

/**
 * A heat map has one line a row; a horizontal bar has its names on y.
 * @param {Trace} trace
 * @returns {Trace[]}
 */
function lines(trace) {
  if (trace.type === 'heatmap') {
    const names = /** @type {string[]} */ (trace.y);
    return numbers(trace.z).map((/** @type {Float64Array} */ y, /** @type {number} */ i) => ({
      name: names[i],
      unit: trace.unit,
      x: trace.x,
      y,
    }));
  }
  if (trace.orientation !== 'h') return [trace];
  return [{ name: trace.name, unit: trace.unit, x: trace.hovertext ?? [], y: trace.x }];
}

/**
 * Return the figure as a table: one row a moment, one column a trace. Traces without a name are marks and are omitted.
 * @param {Pick<Figure, 'data' | 'layout' | 'unit'>} figure
 * @returns {import('../core/export.js').Table}
 */
export function table(figure) {
  const traces = figure.data.flatMap(lines).filter((t) => t.name && t.x && t.y);
  const is_time = figure.layout?.xaxis?.type === 'date';
  /** @type {Map<any, (number | null)[]>} */
  const rows = new Map();
  traces.forEach((trace, column) => {
    const [x, y] = [numbers(trace.x), numbers(trace.customdata ?? trace.y)];
    for (let i = 0; i < x.length; i += 1) {
      if (!Number.isFinite(y[i])) continue;
      const row = rows.get(x[i]) ?? new Array(traces.length).fill(null);
      row[column] = y[i];
      rows.set(x[i], row);
    }
  });
  const first = is_time ? 'time' : (figure.layout?.xaxis?.title?.text ?? 'x');
  const sorted = [...rows].sort((a, b) => a[0] - b[0] || 0);
  return {
    columns: [
      first,
      ...traces.map((t) => `${t.name}${figure.unit ? ` [${t.unit ?? figure.unit.split(',')[0]}]` : ''}`),
    ],
    rows: sorted.map(([x, values]) => [is_time ? new Date(x).toISOString() : x, ...values]),
  };
}

/**
 * Move the time axes of a figure whose arrays are numbers, and all that is placed on them.
 * @param {any} figure
 * @param {(ms: number) => number} shift
 */
export function in_zone({ data, layout }, shift) {
  /** @param {string} [ref] */
  const is_time = (ref = 'x') => /^x\d*$/.test(ref) && layout[`xaxis${ref.slice(1)}`]?.type === 'date';
  /** @param {any} x */
  const moved = (x) => (typeof x === 'number' ? shift(x) : x);
  /** @param {any} part  a shape or a note */
  const placed = (part) => (is_time(part.xref) ? { ...part, ...of(part, ['x', 'x0', 'x1']) } : part);
  /**
   * @param {any} part
   * @param {string[]} keys
   */
  const of = (part, keys) => Object.fromEntries(keys.filter((k) => k in part).map((k) => [k, moved(part[k])]));
  const axes = Object.entries(layout).filter(([key, axis]) => key.startsWith('xaxis') && axis?.type === 'date');
  return {
    data: data.map((/** @type {any} */ trace) =>
      is_time(trace.xaxis) && trace.x ? { ...trace, x: trace.x.map(moved) } : trace,
    ),
    layout: {
      ...layout,
      ...Object.fromEntries(
        axes.map(([key, axis]) => [key, { ...axis, ...(axis.range && { range: axis.range.map(moved) }) }]),
      ),
      ...(layout.shapes && { shapes: layout.shapes.map(placed) }),
      ...(layout.annotations && { annotations: layout.annotations.map(placed) }),
    },
  };
}
