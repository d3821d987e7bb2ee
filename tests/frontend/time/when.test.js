import assert from 'node:assert/strict';
import { test } from 'node:test';
import { in_full, instant, length, offset, parse, typed, utc_text } from '../../../frontend/js/time/when.js';

const NEW_YORK = 'America/New_York';
const NOW = Date.UTC(2026, 10, 20, 14, 2); // Friday 20 Nov 2026, 09:02 in New York (UTC−5)
/** @param {string} text */
const read = (text, zone = NEW_YORK) => {
  const span = parse(text, zone, NOW);
  return span && span.map((ms) => typed(ms, zone)).join(' | ');
};

test('plain words are read in the zone of the page', () => {
  const expected = {
    now: '2026-11-20 09:02 | 2026-11-20 09:02',
    today: '2026-11-20 00:00 | 2026-11-20 09:02',
    yesterday: '2026-11-19 00:00 | 2026-11-20 00:00',
    Yesterday: '2026-11-19 00:00 | 2026-11-20 00:00',
    'yesterday 18:30': '2026-11-19 18:30 | 2026-11-19 18:30',
    'yesterday at 6 pm': '2026-11-19 18:00 | 2026-11-19 18:00',
    'last Monday': '2026-11-16 00:00 | 2026-11-17 00:00',
    'last friday': '2026-11-13 00:00 | 2026-11-14 00:00',
    wed: '2026-11-18 00:00 | 2026-11-19 00:00',
    'this week': '2026-11-16 00:00 | 2026-11-20 09:02',
    'last week': '2026-11-09 00:00 | 2026-11-16 00:00',
    'last month': '2026-10-01 00:00 | 2026-11-01 00:00',
    'this year': '2026-01-01 00:00 | 2026-11-20 09:02',
    '6 h ago': '2026-11-20 03:02 | 2026-11-20 03:02',
    '30 min': '2026-11-20 08:32 | 2026-11-20 08:32',
    '2 days ago': '2026-11-18 09:02 | 2026-11-18 09:02',
    '2026-11-01 08:00': '2026-11-01 08:00 | 2026-11-01 08:00',
    '2026-11-01': '2026-11-01 00:00 | 2026-11-02 00:00',
    '1 Nov': '2026-11-01 00:00 | 2026-11-02 00:00',
    'Nov 1, 2025': '2025-11-01 00:00 | 2025-11-02 00:00',
    '1 November 8 am': '2026-11-01 08:00 | 2026-11-01 08:00',
    '24 Dec': '2025-12-24 00:00 | 2025-12-25 00:00', // the last one in the past
    '08:00': '2026-11-20 08:00 | 2026-11-20 08:00',
    '23:00': '2026-11-19 23:00 | 2026-11-19 23:00',
    '2026-11-01 08:00 UTC': '2026-11-01 03:00 | 2026-11-01 03:00',
    '2026-11-01T08:00:00Z': '2026-11-01 03:00 | 2026-11-01 03:00',
  };
  for (const [text, span] of Object.entries(expected)) assert.equal(read(text), span, text);
});

test('what is not understood is not guessed', () => {
  for (const text of [
    '',
    'soonish',
    '2026-02-30',
    '25:00',
    '13 pm',
    '31 Jun',
    'last',
    'tomorrow',
    '2027-01-01',
    'marble 4',
  ])
    assert.equal(read(text), null, text);
});

test('a day in which clocks go back has 25 hours, one in which they go forward 23', () => {
  const back = parse('2026-11-01', NEW_YORK, NOW);
  const forward = parse('2026-03-08', NEW_YORK, NOW);
  assert.equal(back && (back[1] - back[0]) / 3.6e6, 25);
  assert.equal(forward && (forward[1] - forward[0]) / 3.6e6, 23);
});

test('offsets, also on the day of a change', () => {
  assert.equal(offset(Date.UTC(2026, 10, 1, 5, 59), NEW_YORK), -4 * 3.6e6); // 01:59 EDT
  assert.equal(offset(Date.UTC(2026, 10, 1, 6, 0), NEW_YORK), -5 * 3.6e6); // 01:00 EST
  assert.equal(offset(NOW, 'Asia/Kolkata'), 5.5 * 3.6e6);
  assert.equal(offset(NaN, NEW_YORK), 0);
});

test('of an hour that occurs twice it is the first', () => {
  // 01:30 on 1 November is 05:30 UTC (EDT) and again 06:30 UTC (EST)
  assert.equal(instant(Date.UTC(2026, 10, 1, 1, 30), NEW_YORK), Date.UTC(2026, 10, 1, 5, 30));
  assert.equal(instant(Date.UTC(2026, 10, 20, 9, 2), NEW_YORK), NOW);
});

test('times and lengths as text', () => {
  assert.equal(in_full(NOW, NEW_YORK), 'Fri 20 Nov 2026, 09:02 UTC\u22125');
  assert.equal(utc_text(NOW, 'Asia/Kolkata'), 'UTC+5:30');
  assert.equal(utc_text(NOW, 'UTC'), 'UTC');
  assert.deepEqual([6e5, 64.8e6, 388.8e6].map(length), ['10\u2009min', '18\u2009h', '4.5\u2009d']);
});
