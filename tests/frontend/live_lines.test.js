// The line currents of the stream on the page of a device.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { take_lines } from '../../frontend/js/devices/live_lines.js';

/** @param {string} point @param {object} [more] */
const row = (point, more = {}) => ({
  point,
  values: [
    { quantity: 'current', unit: 'A', value: 8, last: null },
    { quantity: 'power', unit: 'W', value: 1800, last: null },
  ],
  t: '2026-11-20T11:59:00.000Z',
  is_current: false,
  limit: { quantity: 'current', unit: 'A', value: 16, share_pct: 50 },
  ...more,
});

test('a line takes its current, share of the limit and time; others keep theirs', () => {
  const lines = [row('inlet/l1'), row('inlet/l2'), row('outlet/1')];
  const changed = take_lines(
    /** @type {any} */ ([{ rows: lines }]),
    { 'inlet/l1': 12, 'inlet/l2': null },
    Date.parse('2026-11-20T12:00:00Z'),
  );
  assert.deepEqual(
    changed.map((one) => one.point),
    ['inlet/l1', 'inlet/l2'],
  );
  const [l1, l2, outlet] = lines;
  assert.deepEqual([l1.values[0].value, l1.limit.share_pct, l1.t], [12, 75, '2026-11-20T12:00:00.000Z']);
  assert.equal(l1.is_current, true);
  // a current that is missing leaves the last one and its time
  assert.deepEqual([l2.values[0].value, l2.values[0].last, l2.limit.share_pct], [null, 8, null]);
  assert.equal(l2.t, '2026-11-20T11:59:00.000Z');
  assert.deepEqual([outlet.values[0].value, outlet.limit.share_pct], [8, 50]);
});
