// A sparkline as SVG: from 0 to its own highest value; a missing value ends the path, so that nothing is drawn across a gap.
const WIDTH = 132;
const HEIGHT = 26;

export function sparkline(values) {
  const top = Math.max(...values.filter((v) => v !== null), 0);
  if (!top) return '';
  const runs = [[]];
  values.forEach((v, i) => {
    if (v === null) { if (runs.at(-1).length) runs.push([]); return; }
    const x = values.length === 1 ? 0 : (i / (values.length - 1)) * WIDTH;
    runs.at(-1).push([x, HEIGHT - 1 - (v / top) * (HEIGHT - 3)]);
  });
  return `<svg class="spark" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${runs.map(path).join('')}</svg>`;
}

function path(run) {
  if (!run.length) return '';
  const points = run.length > 1 ? run : [run[0], [run[0][0] + 1.5, run[0][1]]];
  const line = `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`;
  const [first, last] = [points[0][0].toFixed(1), points.at(-1)[0].toFixed(1)];
  return `<path class="area" d="${line}L${last} ${HEIGHT - 1}L${first} ${HEIGHT - 1}Z"/><path d="${line}"/>`;
}
