import assert from 'node:assert/strict';
import { test } from 'node:test';
import { halls, matches, neighbour } from '../../../frontend/js/facility/find.js';
import { MEASURES } from '../../../frontend/js/parts/measures.js';

/**
 * @param {string} key
 * @param {string} room
 * @param {string} row
 * @param {number} position
 * @param {Partial<import('../../../frontend/js/answers.js').RackTile>} [more]
 * @returns {import('../../../frontend/js/answers.js').RackTile}
 */
const rack = (key, room, row, position, more = {}) => ({
  key,
  label: key.toUpperCase(),
  room,
  room_label: `Hall ${room}`,
  row,
  position,
  power_w: 20_000,
  known_w: 20_000,
  t: '2026-11-22T10:15:00Z',
  missing: { count: 0, keys: [] },
  last_known_w: null,
  last_known_t: null,
  estimate_w: 20_000,
  derived_s: null,
  usable_w: 40_000,
  planning_w: 36_000,
  basis: 'inlets',
  alerts: 0,
  critical: 0,
  imbalance_pct: null,
  lines_missing: [],
  inlet_c: null,
  probes_missing: false,
  interval_s: 10,
  meters: 2,
  substitutes: [],
  ...more,
});

const RACKS = [
  rack('a2', '1', 'A', 2),
  rack('a1', '1', 'A', 1, { alerts: 1 }),
  rack('b1', '1', 'B', 1, { known_w: 33_000 }),
  rack('c1', '2', 'A', 1, { known_w: null, missing: { count: 1, keys: ['pdu-c1'] } }),
  rack('c2', '2', 'A', 2, { missing: { count: 1, keys: ['pdu-c2'] } }),
];
const ALL = { q: '', state: '', room: '' };
/** @param {Partial<typeof ALL>} filter */
const found = (filter) => RACKS.filter((r) => matches(r, { ...ALL, ...filter }, MEASURES.load)).map((r) => r.key);

test('a filter finds racks by name, room, row and state', () => {
  assert.deepEqual(found({}), ['a2', 'a1', 'b1', 'c1', 'c2']);
  assert.deepEqual(found({ q: 'c hall' }), ['c1', 'c2']);
  assert.deepEqual(found({ q: 'row b' }), ['b1']);
  assert.deepEqual(found({ room: '1', q: 'A1' }), ['a1']);
  assert.deepEqual(found({ state: 'over' }), ['b1']); // 33 of 40 kW: 82.5 %
  assert.deepEqual(found({ state: 'alert' }), ['a1']);
  assert.deepEqual(found({ state: 'lost' }), ['c1']);
  assert.deepEqual(found({ state: 'partial' }), ['c2']);
});

test('rooms hold rows in the order of their places, and arrows move along and across them', () => {
  const rooms = halls(RACKS);
  assert.deepEqual(
    rooms.map((room) => room.rows.map((row) => [row.key, row.racks.map((r) => r.key)])),
    [
      [
        ['1/A', ['a1', 'a2']],
        ['1/B', ['b1']],
      ],
      [['2/A', ['c1', 'c2']]],
    ],
  );
  assert.equal(neighbour(rooms, 'a1', 'ArrowRight'), 'a2');
  assert.equal(neighbour(rooms, 'a1', 'ArrowLeft'), null);
  assert.equal(neighbour(rooms, 'a2', 'ArrowDown'), 'b1');
  assert.equal(neighbour(rooms, 'b1', 'ArrowDown'), 'c1');
  assert.equal(neighbour(rooms, 'a1', 'Enter'), null);
});
