import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csv } from '../../frontend/js/core/export.js';
import { numbers, table } from '../../frontend/js/charts/figure_data.js';
import { one_of, scattered, words } from '../../frontend/js/jobs/compare_tables.js';

/** @param {Float32Array | Int32Array} values */
const base64 = (values) => btoa(String.fromCharCode(...new Uint8Array(values.buffer)));

test('encoded arrays are decoded; times are offsets in ms', () => {
  assert.deepEqual([...numbers({ dtype: 'f4', bdata: base64(new Float32Array([1.5, -2])) })], [1.5, -2]);
  const times = { dtype: 'i4', bdata: base64(new Int32Array([0, 1000])), x0_ms: 1_700_000_000_000 };
  assert.deepEqual([...numbers(times)], [1_700_000_000_000, 1_700_000_001_000]);
});

test('a figure as a table: one row a moment, gaps stay empty, marks are omitted', () => {
  const data = [
    { name: 'wall', x: [0, 60_000], y: [1.5, NaN] },
    { name: 'BMC', x: [60_000], y: [1.25] },
    { x: [0], y: [9] },
  ];
  assert.deepEqual(table({ unit: 'kW', layout: { xaxis: { type: 'date' } }, data }), {
    columns: ['time', 'wall [kW]', 'BMC [kW]'],
    rows: [
      ['1970-01-01T00:00:00.000Z', 1.5, null],
      ['1970-01-01T00:01:00.000Z', null, 1.25],
    ],
  });
});

test('CSV quotes what needs it', () => {
  const made = csv({
    columns: ['name', 'W'],
    rows: [
      ['a "b", c', 1.5],
      ['d', null],
    ],
  });
  assert.equal(made, 'name,W\n"a ""b"", c",1.5\nd,\n');
});

test('mean ± standard deviation: two digits of the scatter', () => {
  assert.equal(scattered({ n: 3, mean: 680.7123, std: 6.7123 }), '680.7 <span class="mute">± 6.7</span>');
  assert.equal(scattered({ n: 3, mean: 12345, std: null }), '12\u202f345');
  assert.equal(scattered({ n: 3, mean: 12.345, std: 0 }), '12.35 <span class="mute">± 0</span>');
  assert.equal(scattered({ n: 3, mean: null, std: null }), '\u2013');
});

test('tags and units as words', () => {
  assert.equal(words('power_cap_w'), 'power cap, W');
  assert.equal(words('batch_size'), 'batch size');
  assert.equal(one_of('queries'), 'query');
  assert.equal(one_of('tokens'), 'token');
});

test('a number in CSV has nine significant digits', () => {
  const rows = [[4678.694229499259, 0.1 + 0.2, 442_800_000_123.4, 0.9999999996, -0.04523598765432, 12_345_678_901]];
  assert.equal(
    csv({ columns: ['a', 'b', 'c', 'd', 'e', 'f'], rows }),
    'a,b,c,d,e,f\n4678.69423,0.3,442800000123,0.999999999,-0.0452359877,12345678901\n',
  );
});
