import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MEASURES, NAMES, over, ranked, ranks, step } from '../../frontend/js/parts/measures.js';

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
  ...whole(28000),
  usable_w: 70000,
  planning_w: 63000,
  basis: 'inlets',
  alerts: 0,
  critical: 0,
  imbalance_pct: null,
  lines_missing: [],
  inlet_c: null,
  probes_missing: false,
  interval_s: 10,
  meters: 1,
  substitutes: [],
  ...changes,
});

/** @param {number | null} watts */
const whole = (watts) => ({
  power_w: watts,
  known_w: watts,
  t: '2026-11-22T10:15:00Z',
  missing: { count: 0, keys: /** @type {string[]} */ ([]) },
  last_known_w: null,
  last_known_t: null,
  estimate_w: watts,
  derived_s: null,
});

test('load is the share of the usable capacity', () => {
  assert.equal(MEASURES.load.value(rack({})), 40);
  assert.equal(MEASURES.load.of(rack({})), '28.0 of 70\u2009kW');
  assert.equal(MEASURES.load.value(rack({ usable_w: null })), null);
});

test('the colour counts the bounds that are reached; the last one is the limit', () => {
  assert.equal(step(MEASURES.load, rack({})), 1); // 40 %: past 30, short of 45
  assert.equal(step(MEASURES.load, rack(whole(56000))), 5); // 80 %
  assert.equal(over(MEASURES.load, rack(whole(56000))), true);
  assert.equal(over(MEASURES.load, rack(whole(55999))), false);
});

test('headroom falls: less is worse', () => {
  assert.equal(MEASURES.headroom.value(rack({})), 42);
  assert.equal(step(MEASURES.headroom, rack({})), 1); // 60 % left: at most 70, more than 55
  assert.equal(over(MEASURES.headroom, rack(whole(56000))), true); // 20 % left
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
  const late = rack({ ...whole(null), t: new Date(Date.now() - 45_000).toISOString(), interval_s: 15 });
  assert.equal(MEASURES.age.text(45), '45');
  assert.equal(over(MEASURES.age, late), true); // 3 polls
  assert.deepEqual(ranked(MEASURES.age, [late]), [late]);
});

test('a load of which a part is missing is rounded down, and its place is a range', () => {
  const missing = { count: 1, keys: ['pdu-e'] };
  const r07 = rack({ ...whole(21700), power_w: null, missing }); // 31 %
  const r08 = rack({ key: 'r08', ...whole(24500) }); // 35 %
  const r09 = rack({ key: 'r09', ...whole(4200) }); // 6 %
  assert.equal(MEASURES.load.value(rack({ ...whole(22330), missing })), 31); // 31.9 %
  const order = ranked(MEASURES.load, [r09, r07, r08]);
  assert.deepEqual(order, [r08, r07, r09]);
  assert.deepEqual(ranks(MEASURES.load, order), ['1–2', '1–2', '3']);
  assert.deepEqual(ranks(MEASURES.load, [r08, r09]), ['1', '2']);
});

test('every measure has a label', () => {
  assert.deepEqual(Object.keys(NAMES), ['load', 'headroom', 'imbalance', 'inlet', 'age']);
});
