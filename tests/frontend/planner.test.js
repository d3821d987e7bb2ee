import assert from 'node:assert/strict';
import { test } from 'node:test';
import { table_row } from '../../frontend/js/capacity/planner_table.js';
import { csv } from '../../frontend/js/core/export.js';
import { bar_of, sentence_of, split_sentence } from '../../frontend/js/capacity/fit.js';
import {
  feed_row,
  pdu_row,
  place_row,
  planner_csv,
  rack_row,
  sorted,
  stranded_by,
  sum,
} from '../../frontend/js/capacity/planner.js';

/** @param {string} key @param {object} [more] */
const rack = (key, more = {}) =>
  /** @type {any} */ ({
    key,
    label: key.toUpperCase(),
    room: 'Hall 1',
    row: 'A',
    model: '8×H100',
    capacity_w: 70_000,
    rated_w: 51_000,
    budget_w: null,
    observed_w: { max: 42_400, p99: 40_000, median: null },
    max_at: null,
    is_partial: false,
    daily_max_w: [],
    trend_w: null,
    ...more,
  });

/** @param {number} stranded_w */
const answer = (stranded_w) => ({
  rack: 'r07',
  model: 'hgx',
  additional_nodes: 1,
  binds: 'C19 outlets on feed A',
  stranded_w,
  why: '',
  nodes_only: false,
});

test('a rack: its limit less the margin, what fits, what binds, what is stranded', () => {
  const row = rack_row(rack('r07'), answer(12_000), 10);
  assert.equal(row.limit, 63_000);
  assert.equal(Math.round((row.share ?? 0) * 1000), 673); // 42.4 of 63 kW
  assert.deepEqual([row.fits, row.binds, row.stranded], [1, 'C19 outlets on feed A', 12_000]);
  assert.equal(row.place, 'Hall 1 · row A · 8×H100');
});

test('the trend of the peak: of rooms, rows, feeds and PDUs as of racks', () => {
  const peaks = { key: 'hall/A', daily_max_w: [40_000, 41_000], trend_w: 1500 };
  const found = /** @type {any} */ ({ key: 'hall/A', label: 'Hall A', usable_w: 90_000, limit_a: 32, observed_w: {} });
  const pdu = /** @type {any} */ ({ ...peaks, label: 'PDU', limit_a: 32, observed_a: {} });
  const rows = [place_row(found, [], peaks), feed_row({ ...found, observed_a: {} }, 10, peaks), pdu_row(pdu, 10)];
  for (const row of rows) assert.deepEqual([row.trend, row.daily], [1500, [40_000, 41_000]]);
  assert.deepEqual(place_row(found, [], undefined).daily, []);
  assert.match(planner_csv(rows.slice(2)), /,trend_w_in_30_d,nodes_only\r?\n.*,1500,false/);
});

test('loads beside the nodes that are not known: of a rack, and of a room with such a rack', () => {
  const of = (/** @type {string} */ key, /** @type {boolean} */ nodes_only) =>
    rack_row(rack(key), { ...answer(0), nodes_only }, 0);
  const room = /** @type {any} */ ({ key: 'hall', label: 'Hall', usable_w: 90_000, observed_w: {} });
  const [measured, unknown] = [of('a', false), of('b', true)];
  assert.deepEqual([measured.nodes_only, unknown.nodes_only], [false, true]);
  assert.equal(place_row(room, [measured, unknown], undefined).nodes_only, true);
  assert.equal(place_row(room, [measured], undefined).nodes_only, false);
  assert.match(table_row(unknown, 1, false), /<b>1<\/b><small class="mute">nodes only<\/small>/);
  assert.doesNotMatch(table_row(measured, 1, false), /nodes only/);
  assert.match(planner_csv([unknown]), /,nodes_only\r?\n.*,true/);
});

test('stranded power by what binds, whatever the feed', () => {
  const rows = [rack_row(rack('a'), answer(1000), 0), rack_row(rack('b'), answer(2500), 0)];
  assert.deepEqual(stranded_by(rows), [{ binds: 'C19 outlets', watts: 3500, racks: 2 }]);
});

test('sorting puts what is unknown last, both ways', () => {
  const rows = [
    rack_row(rack('r10', { observed_w: { max: null, p99: null } }), undefined, 0),
    rack_row(rack('r9'), undefined, 0),
    rack_row(rack('r2', { observed_w: { max: 1, p99: 1 } }), undefined, 0),
  ];
  assert.deepEqual(
    sorted(rows, 'max', true).map((r) => r.key),
    ['r9', 'r2', 'r10'],
  );
  assert.deepEqual(
    sorted(rows, 'max', false).map((r) => r.key),
    ['r2', 'r9', 'r10'],
  );
  assert.deepEqual(
    sorted(rows, 'label', false).map((r) => r.key),
    ['r2', 'r9', 'r10'],
  );
});

test('a sum is unknown if a part is', () => {
  assert.equal(sum([1, 2]), 3);
  assert.equal(sum([1, null]), null);
  assert.equal(sum([]), null);
});

test('a file of the table cannot hold a formula', () => {
  const text = planner_csv([rack_row(rack('r07', { label: '=HYPERLINK("x")' }), answer(0), 0)]);
  assert.match(text, /r07,"'=HYPERLINK\(""x""\)",/);
  assert.equal(csv({ columns: ['a'], rows: [['-1'], [-1]] }), "a\n'-1\n-1\n");
});

test('the sentence: at most so many while a part is missing; head and cause', () => {
  const said = { sentence: '2 more fit in R07; U space binds', additional_nodes: 2 };
  assert.equal(sentence_of(said, true), 'At most 2 more fit in R07; U space binds');
  assert.equal(sentence_of({ ...said, additional_nodes: 0 }, true), said.sentence);
  assert.deepEqual(split_sentence(said.sentence), ['2 more fit in R07', 'U space binds']);
});

test('a bar: load, what is added, limit less the margin, and the whole', () => {
  // 30 of 40, four more of 5 each: 50 is the end of the bar
  assert.deepEqual(bar_of({ load: 30, per_node: 5, limit: 36, full: 40 }, 4), {
    load: 60,
    more: 100,
    limit: 72,
    full: 80,
    each: 10,
  });
  assert.equal(bar_of({ load: null, per_node: null, limit: null, full: null }, 1), null);
});
