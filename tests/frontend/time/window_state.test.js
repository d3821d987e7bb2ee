import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typed } from '../../../frontend/js/time/when.js';
import {
  asked,
  before_name,
  compared,
  from_query,
  inside,
  reset,
  stepped,
  to_query,
  zoomed,
  zoomed_out,
} from '../../../frontend/js/time/window_state.js';

const NEW_YORK = 'America/New_York';
const NOW = Date.UTC(2026, 10, 20, 14, 2);
const HOUR = 3.6e6;
/** @param {string} query */
const state = (query) => from_query(new URLSearchParams(query), NEW_YORK, NOW);
/** @param {ReturnType<typeof state>} given */
const address = (given) => to_query(new URLSearchParams('margin=10'), given).toString();

test('an address names the window; without one it is the last 24 h', () => {
  assert.deepEqual(state('').span, [NOW - 24 * HOUR, NOW]);
  assert.deepEqual(state('window=7d').span, [NOW - 168 * HOUR, NOW]);
  assert.deepEqual(state('window=9y').preset, '24h');
  assert.deepEqual(state('window=month').span, [Date.UTC(2026, 10, 1, 4), NOW]);
  assert.deepEqual(state('from=2026-11-18T10:00Z&to=2026-11-18T12:00Z').span, [
    Date.UTC(2026, 10, 18, 10),
    Date.UTC(2026, 10, 18, 12),
  ]);
  assert.deepEqual(state('from=2026-11-18T12:00Z&to=2026-11-18T10:00Z').preset, '24h');
});

test('a window goes into the address in UTC and comes back', () => {
  const fixed = 'from=2026-11-18T10%3A00Z&to=2026-11-18T12%3A00Z&compare=week';
  assert.equal(address(state(fixed)), `margin=10&${fixed}`);
  assert.equal(address(state('window=24h')), 'margin=10');
  assert.equal(address(state('window=30d')), 'margin=10&window=30d');
});

test('the server is asked for a named window or for two times', () => {
  assert.deepEqual(asked(state('window=7d')), { window: '7d', from: null, to: null });
  assert.deepEqual(asked(state('window=month')), { window: null, from: '2026-11-01T04:00:00.000Z', to: null });
  const { from, to } = asked(state('from=2026-11-18T10:00Z&to=2026-11-18T12:00Z'));
  assert.deepEqual([from, to], ['2026-11-18T10:00:00.000Z', '2026-11-18T12:00:00.000Z']);
});

test('steps move by the window and stop at now; zooming out doubles it', () => {
  const day = state('window=24h');
  assert.deepEqual(stepped(day, -1, NOW).span, [NOW - 48 * HOUR, NOW - 24 * HOUR]);
  assert.equal(stepped(day, -1, NOW).preset, '');
  assert.deepEqual(stepped(stepped(day, -1, NOW), 1, NOW).span, day.span);
  assert.deepEqual(stepped(day, 1, NOW).span, day.span);
  assert.deepEqual(zoomed_out(stepped(day, -1, NOW), NOW).span, [NOW - 60 * HOUR, NOW - 12 * HOUR]);
  assert.deepEqual(zoomed_out(day, NOW).span, [NOW - 48 * HOUR, NOW]);
});

test('a zoom can be reset to the window it was made in, also from a link and after several zooms', () => {
  const once = zoomed(state('window=7d'), NOW - 30 * HOUR, NOW - 20 * HOUR);
  const twice = zoomed(once, NOW - 25 * HOUR, NOW - 24 * HOUR);
  const link = state(address(twice));
  assert.equal(link.within, '7d');
  assert.deepEqual(reset(link, NEW_YORK, NOW), state('window=7d'));
  const fixed = state('from=2026-11-18T10:00Z&to=2026-11-18T12:00Z&compare=week');
  const inside = state(address(zoomed(fixed, fixed.span[0] + 6e5, fixed.span[0] + 12e5)));
  assert.deepEqual(reset(inside, NEW_YORK, NOW), fixed);
});

test('a zoom is at least ten seconds long', () => {
  const { span } = zoomed(state(''), NOW - 5000, NOW - 4000);
  assert.equal(span[1] - span[0], 10_000);
});

/**
 * @param {string} from
 * @param {string} to
 * @param {'week' | 'before'} compare
 */
const against = (from, to, compare) => {
  const { span } = state(`from=${from}&to=${to}`);
  return compared(span, compare, NEW_YORK).map((ms) => typed(ms, NEW_YORK));
};

test('the week before has the same weekdays and hours, also when clocks change', () => {
  // 1 Nov 2026 02:00: clocks go back; 3 Nov 09:00 EST is compared with 27 Oct 09:00 EDT
  assert.deepEqual(against('2026-11-03T14:00Z', '2026-11-03T16:00Z', 'week'), ['2026-10-27 09:00', '2026-10-27 11:00']);
});

test('the window before; of a month the month before', () => {
  assert.deepEqual(against('2026-11-03T14:00Z', '2026-11-03T16:00Z', 'before'), [
    '2026-11-03 07:00',
    '2026-11-03 09:00',
  ]);
  const october = ['2026-10-01T04:00Z', '2026-11-01T04:00Z'];
  assert.deepEqual(against(october[0], october[1], 'before'), ['2026-09-01 00:00', '2026-10-01 00:00']);
  assert.equal(before_name(state(`from=${october[0]}&to=${october[1]}`).span, NEW_YORK), 'month before');
  // until 20 Nov 09:02: the first 19 days and 9 h of October
  assert.deepEqual(against('2026-11-01T04:00Z', '2026-11-20T14:02Z', 'before'), [
    '2026-10-01 00:00',
    '2026-10-20 09:02',
  ]);
});

/** @type {import('../../../frontend/js/time/window_state.js').PageWindows} */
const RUN = { usual: 'run', whole: [Date.UTC(2026, 10, 18, 10), Date.UTC(2026, 10, 18, 12)] };
/** @param {string} query */
const of_run = (query) => from_query(new URLSearchParams(query), NEW_YORK, NOW, RUN);

test('a page may have another usual window: the whole run, or all times', () => {
  assert.deepEqual(of_run('').span, RUN.whole);
  assert.deepEqual(asked(of_run('')), { window: null, from: null, to: null });
  assert.equal(to_query(new URLSearchParams(), of_run(''), 'run').toString(), '');
  assert.equal(to_query(new URLSearchParams(), state('window=24h'), 'all').toString(), 'window=24h');
  assert.deepEqual(asked(state('window=all')), { window: null, from: null, to: null });
});

test('the reset of a run is the whole of it, also from a link without a zoom', () => {
  const link = of_run('from=2026-11-18T10:30Z&to=2026-11-18T11:00Z');
  assert.deepEqual(reset(link, NEW_YORK, NOW, RUN), of_run(''));
  assert.deepEqual(reset(zoomed(link, link.span[0], link.span[0] + 6e5), NEW_YORK, NOW, RUN), link);
  assert.equal(reset(state('from=2026-11-18T10:30Z&to=2026-11-18T11:00Z'), NEW_YORK, NOW).preset, '');
});

test('no window leads out of a run', () => {
  const half = of_run('from=2026-11-18T10:00Z&to=2026-11-18T11:00Z');
  assert.deepEqual(inside(stepped(half, -1, NOW), RUN.whole).span, half.span);
  assert.deepEqual(inside(zoomed_out(half, NOW), RUN.whole), of_run(''));
  assert.deepEqual(inside(stepped(half, 1, NOW), RUN.whole).span, [Date.UTC(2026, 10, 18, 11), RUN.whole?.[1]]);
  assert.deepEqual(inside(half, null), half);
});
