import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEASURES, NAMES, over, ranked, step } from '../../frontend/js/parts/measures.js';

/**
 * @param {Partial<import('../../frontend/js/answers.js').RackTile>} changes
 * @returns {import('../../frontend/js/answers.js').RackTile}
 */
const rack = (changes) => ({
  key: 'r07',
  label: 'R07',
  room: null,
  room_label: null,
  row: null,
  position: null,
  power_w: 28000,
  t: '2026-11-22T10:15:00Z',
  usable_w: 70000,
  imbalance_pct: null,
  inlet_c: null,
  interval_s: 10,
  ...changes,
});

test('load is the share of the usable capacity', () => {
  assert.equal(MEASURES.load.value(rack({})), 40);
  assert.equal(MEASURES.load.of(rack({})), '28.0 of 70\u2009kW');
  assert.equal(MEASURES.load.value(rack({ usable_w: null })), null);
});

test('the colour counts the bounds that are reached; the last one is the limit', () => {
  assert.equal(step(MEASURES.load, rack({})), 1); // 40 %: past 30, short of 45
  assert.equal(step(MEASURES.load, rack({ power_w: 56000 })), 5); // 80 %
  assert.equal(over(MEASURES.load, rack({ power_w: 56000 })), true);
  assert.equal(over(MEASURES.load, rack({ power_w: 55999 })), false);
});

test('headroom falls: less is worse', () => {
  assert.equal(MEASURES.headroom.value(rack({})), 42);
  assert.equal(step(MEASURES.headroom, rack({})), 1); // 60 % left: at most 70, more than 55
  assert.equal(over(MEASURES.headroom, rack({ power_w: 56000 })), true); // 20 % left
});

test('a rack without a value has no colour and no rank', () => {
  assert.equal(over(MEASURES.inlet, rack({})), false);
  const racks = [rack({ key: 'a', inlet_c: 22 }), rack({ key: 'b' }), rack({ key: 'c', inlet_c: 28 })];
  assert.deepEqual(
    ranked(MEASURES.inlet, racks).map((r) => r.key),
    ['c', 'a'],
  );
});

test('the data age counts missed polls', () => {
  const late = rack({ t: Date.now() - 45_000, interval_s: 15, power_w: null });
  assert.equal(MEASURES.age.text(45), '45');
  assert.equal(over(MEASURES.age, late), true); // 3 polls
  assert.deepEqual(ranked(MEASURES.age, [late]), [late]);
});

test('every measure has a label', () => {
  assert.deepEqual(Object.keys(NAMES), ['load', 'headroom', 'imbalance', 'inlet', 'age']);
});
