// @ts-check
// A sparkline as SVG: from 0 to its own highest value. A missing value ends the path, so that no line crosses a gap.
const WIDTH = 132;
const HEIGHT = 26;

/** @typedef {[x: number, y: number]} Point */

/**
 * Return the curve; '' where fewer than two values are known, or none is above 0.
 * @param {(number | null)[]} values
 */
export function sparkline(values) {
  const top = Math.max(...values.filter((v) => v !== null), 0);
  if (!top || values.filter((v) => v !== null).length < 2) return '';
  const paths = runs(values, top).map(path).join('');
  const box = `viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"`;
  return `<svg class="spark" ${box} aria-hidden="true">${paths}</svg>`;
}

/**
 * Return the points of each stretch without a gap.
 * @param {(number | null)[]} values
 * @param {number} top
 */
function runs(values, top) {
  /** @type {Point[][]} */
  const found = [[]];
  values.forEach((v, i) => {
    const last = found[found.length - 1];
    if (v === null) {
      if (last.length) found.push([]);
      return;
    }
    const x = values.length === 1 ? 0 : (i / (values.length - 1)) * WIDTH;
    last.push([x, HEIGHT - 1 - (v / top) * (HEIGHT - 3)]);
  });
  return found.filter((run) => run.length);
}

/** @param {Point[]} run */
function path(run) {
  const [[x0, y0]] = run;
  const points = run.length > 1 ? run : [run[0], [x0 + 1.5, y0]];
  const line = `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`;
  const [first, last] = [x0.toFixed(1), points[points.length - 1][0].toFixed(1)];
  return `<path class="area" d="${line}L${last} ${HEIGHT - 1}L${first} ${HEIGHT - 1}Z"/><path d="${line}"/>`;
}
