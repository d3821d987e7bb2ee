import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  combinations,
  combined,
  name_of,
  read_series,
  request_of,
  value_at,
  write_series,
} from '../../frontend/js/explore/series.js';

test('the address names a series and the request of its curve', () => {
  const outlet = read_series('device/pdu-r07-a/outlet/7:current');
  assert.deepEqual(outlet, { kind: 'device', key: 'pdu-r07-a', point: 'outlet/7', quantity: 'current' });
  assert.ok(outlet);
  assert.equal(write_series(outlet), 'device/pdu-r07-a/outlet/7:current');
  assert.equal(name_of(outlet), 'pdu-r07-a outlet 7 current');
  assert.deepEqual(request_of(outlet, 'csv'), [
    '/devices/pdu-r07-a/curve.csv',
    { point: 'outlet/7', quantity: 'current' },
  ]);
  const hall = read_series('room/hall-1');
  assert.deepEqual(hall && request_of(hall), ['/rooms/hall-1/curve', {}]);
});

test('what is no series is none', () => {
  for (const text of ['', 'rack', 'rack/', 'device/pdu', 'user/ada', 'rack/a/b'])
    assert.equal(read_series(text), null, text);
});

const A = { t: [0, 10, 20, 30, 40], v: [100, 200, null, 200, 200] };

test('a curve is read between its points and never across a gap', () => {
  assert.deepEqual(
    [0, 5, 10, 15, 20, 30, 41, -1].map((t) => value_at(A, t)),
    [100, 150, 200, null, null, 200, null, null],
  );
  assert.equal(value_at({ t: [], v: [] }, 5), null);
});

test('a ratio, a sum and a difference exist only where both are covered', () => {
  const b = { t: [5, 35], v: [300, 300] };
  const times = [0, 5, 10, 20, 30, 35, 40];
  assert.deepEqual(combined(A, b, 'sum'), { t: times, v: [null, 450, 500, null, 500, 500, null] });
  assert.deepEqual(combined(A, b, 'ratio').v[1], 50);
  assert.deepEqual(combined(A, b, 'difference').v[2], -100);
  assert.deepEqual(combined(A, { t: [0, 40], v: [0, 0] }, 'ratio').v, [null, null, null, null, null]);
});

test('only like quantities are combined, and temperatures are not added', () => {
  assert.deepEqual(combinations('W', 'W'), ['none', 'ratio', 'inverse', 'sum', 'difference']);
  assert.deepEqual(combinations('°C', '°C'), ['none', 'ratio', 'inverse', 'difference']);
  assert.deepEqual(combinations('W', '°C'), ['none']);
});
