// The rules of app/presentation/text/numbers.py; tests/presentation has the same examples.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as f from '../../frontend/js/core/format.js';

test('num: thousands, minus sign, missing', () => {
  assert.equal(f.num(1464), '1\u202f464');
  assert.equal(f.num(-12000), '\u221212\u202f000');
  assert.equal(f.num(-0.5, 1), '\u22120.5');
  assert.equal(f.num(-0.04, 1), '0.0');
  assert.equal(f.num(null), '\u2013');
  assert.equal(f.num(NaN), '\u2013');
});

test('significant: as many decimals as the digits need', () => {
  assert.equal(f.significant(0.01234), '0.0123');
  assert.equal(f.significant(1.234), '1.23');
  assert.equal(f.significant(12.34), '12.3');
  assert.equal(f.significant(1234), '1\u202f234');
  assert.equal(f.significant(0), '0');
  assert.equal(f.significant(undefined), '\u2013');
});

test('kW, kWh and limits', () => {
  assert.equal(f.kw(12345), '12.35');
  assert.equal(f.kw(null), '\u2013');
  assert.equal(f.limit_kw(14400), '14.4');
  assert.equal(f.limit_kw(70000), '70');
  assert.equal(f.limit_kw(null), '\u2013');
  assert.equal(f.kwh(3.6e6), '1.00');
});

test('a share is rounded down, so that 99.96 % never reads as 100 %', () => {
  assert.equal(f.coverage(1), '100\u2009%');
  assert.equal(f.coverage(0.9996), '99.9\u2009%');
  assert.equal(f.coverage(0), '0.0\u2009%');
  assert.equal(f.coverage(null), '\u2013');
  assert.equal(f.pct(12.34, 1), '12.3\u2009%');
});

test('a number with its noun', () => {
  assert.equal(f.count(1, 'node'), '1 node');
  assert.equal(f.count(5, 'node'), '5 nodes');
  assert.equal(f.count(1200, 'query', 'queries'), '1\u202f200 queries');
});

test('duration', () => {
  assert.equal(f.duration(0.5), '0.5\u2009s');
  assert.equal(f.duration(0.05), '0.05\u2009s');
  assert.equal(f.duration(12), '12\u2009s');
  assert.equal(f.duration(2463), '41\u2009min 03\u2009s');
  assert.equal(f.duration(4740), '1\u2009h 19\u2009min');
  assert.equal(f.duration(274000), '3\u2009d 04\u2009h');
  assert.equal(f.duration(null), '\u2013');
});

test('a rough length', () => {
  assert.equal(f.span(99), '99\u2009s');
  assert.equal(f.span(41 * 60), '41\u2009min');
  assert.equal(f.span(3 * 3600), '3\u2009h');
  assert.equal(f.span(5 * 86400), '5\u2009d');
  assert.equal(f.ago(2), '2\u2009s ago');
});

test('times are UTC; another day has its date', () => {
  const now = '2026-11-22T10:15:00Z';
  assert.equal(f.clock('2026-11-22T07:44:59Z'), '07:44');
  assert.equal(f.day('2026-11-20T21:52:00Z'), '20 Nov 2026');
  assert.equal(f.moment('2026-11-22T07:44:59Z', now), '07:44');
  assert.equal(f.moment('2026-11-20T21:52:00Z', now), '20 Nov 21:52');
  assert.equal(f.moment(null, now), '\u2013');
});
