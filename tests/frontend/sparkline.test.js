import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sparkline } from '../../frontend/js/parts/sparkline.js';

const lines = (/** @type {string} */ svg) => [...svg.matchAll(/<path d="([^"]*)"/g)].map((found) => found[1]);

test('from zero to its own highest value', () => {
  assert.deepEqual(lines(sparkline([0, 50, 100])), ['M0.0 25.0L66.0 13.5L132.0 2.0']);
});

test('a gap ends the path; a single reading is a short line', () => {
  assert.deepEqual(lines(sparkline([100, null, 100])), ['M0.0 2.0L1.5 2.0', 'M132.0 2.0L133.5 2.0']);
});

test('nothing is drawn without a value above zero, or of one value alone', () => {
  assert.equal(sparkline([5]), '');
  assert.equal(sparkline([null, 5, null]), '');
  assert.equal(sparkline([]), '');
  assert.equal(sparkline([null, 0]), '');
});
