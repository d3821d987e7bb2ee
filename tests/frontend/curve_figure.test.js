import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curve_figure, shown_unit, statistics_of } from '../../frontend/js/time/curve_figure.js';

/** @type {[number, number]} */
const SPAN = [0, 60_000];
/** @param {Partial<import('../../frontend/js/time/curve_figure.js').DrawnSeries>} more */
const series = (more) => ({
  name: 'outlet 7',
  unit: 'W',
  color: '@power',
  t: [0, 10_000, 20_000],
  v: [1200, null, 1500],
  ...more,
});

test('power above a kilowatt is drawn in kW, below it in W', () => {
  assert.deepEqual(shown_unit('W', 1500), ['kW', 1e-3, 3]);
  assert.deepEqual(shown_unit('W', 300), ['W', 1, 0]);
  assert.deepEqual(shown_unit('°C', 30), ['°C', 1, 1]);
  assert.equal(curve_figure([series({})], SPAN).unit, 'kW');
});

test('a gap stays a gap and the axis starts at zero', () => {
  const { data, layout } = curve_figure([series({})], SPAN);
  assert.deepEqual(data[0].y, [1.2, NaN, 1.5]);
  assert.deepEqual(
    layout.yaxis.range.map((/** @type {number} */ x) => Number(x.toFixed(3))),
    [0, 1.68],
  );
});

test('a second unit has the right axis', () => {
  const { data, layout, unit } = curve_figure([series({}), series({ unit: 'A', v: [5, 6, 7] })], SPAN);
  assert.equal(unit, 'kW, A');
  assert.deepEqual(
    data.map((/** @type {any} */ trace) => trace.yaxis),
    [undefined, 'y2'],
  );
  assert.equal(layout.yaxis2.side, 'right');
});

test('a limit is inside the axis and named; a compared curve is shifted', () => {
  const { data, layout } = curve_figure([series({ shift_ms: 500, faint: true })], SPAN, {
    limit: { value: 3000, text: 'rated 3 kW' },
  });
  assert.equal(layout.shapes[0].y0, 3);
  assert.equal(layout.annotations[0].text, 'rated 3 kW');
  assert.ok(layout.yaxis.range[1] > 3);
  assert.deepEqual(data[0].x, [500, 10_500, 20_500]);
});

test('the mean is over the covered time, and a gap is no part of it', () => {
  // 100 W for 10 s, rising to 200 W for 10 s, a gap, 400 W for 10 s: (1000 + 1500 + 4000) J in 30 s
  const curve = { t: [0, 10, 20, 25, 30, 40], v: [100, 100, 200, null, 400, 400] };
  const { mean, max, max_at } = statistics_of(curve);
  assert.deepEqual([mean && Number(mean.toFixed(3)), max, max_at], [216.667, 400, 30]);
  assert.deepEqual(statistics_of({ t: [], v: [] }), { mean: null, max: null, max_at: null });
});
