import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  estimated,
  floored,
  known_kw,
  missing_names,
  missing_text,
  places,
  share,
  source_tag,
  together,
} from '../../../frontend/js/core/known_power.js';

const TODAY = new Date().toISOString().slice(0, 10);

/**
 * @param {Partial<import('../../../frontend/js/answers.js').KnownPower>} changes
 * @returns {import('../../../frontend/js/answers.js').KnownPower}
 */
const power = (changes) => ({
  power_w: null,
  t: null,
  known_w: null,
  missing: { count: 0, keys: [] },
  last_known_w: null,
  last_known_t: null,
  estimate_w: null,
  derived_s: null,
  ...changes,
});

/** @param {number} w */
const whole = (w) => power({ power_w: w, known_w: w, estimate_w: w });

const r07 = power({
  known_w: 21700,
  missing: { count: 1, keys: ['pdu-r07-e'] },
  last_known_w: 4600,
  last_known_t: `${TODAY}T06:18:00Z`,
  estimate_w: 26300,
});

test('what is missing is named with its last value and the time', () => {
  assert.equal(missing_text(r07), 'pdu-r07-e not responding (4.6\u2009kW at 06:18)');
  assert.equal(missing_names({ count: 2, keys: ['pdu-a', 'pdu-b'] }), 'pdu-a and pdu-b not responding');
  assert.equal(missing_names({ count: 60, keys: ['a', 'b', 'c'] }), 'a, b and 58 more not responding');
  assert.equal(missing_names({ count: 1, keys: ['pdu-a/outlet/3'] }), 'no reading from pdu-a outlet 3');
  assert.equal(missing_names({ count: 1, keys: ['n3/wall'] }), 'n3 not metered');
  assert.equal(missing_names({ count: 1, keys: ['n3/rest'] }), 'only components of n3 measured');
  assert.equal(missing_names({ count: 2, keys: ['pdu-a/unread', 'pdu-b/unread'] }), 'pdu-a and pdu-b cannot be read');
  assert.equal(missing_names({ count: 2, keys: ['n3/wall', 'pdu-a'] }), 'n3 and pdu-a missing');
});

test('a lower bound is rounded down', () => {
  assert.equal(floored(28.39, 1), '28.3');
  assert.equal(floored(0.29, 2), '0.29');
  assert.equal(known_kw(power({ known_w: 28190, missing: r07.missing })), '28.1');
  assert.equal(known_kw(whole(28190)), '28.2');
  assert.equal(share(r07, 70000), 31);
  assert.equal(estimated(r07, 70000), '38\u2009% with 06:18');
});

test('powers add up, and a key that is missing twice counts once', () => {
  const site = together([r07, whole(4900), whole(700), whole(800)]);
  assert.equal(site.known_w, 28100);
  assert.equal(site.power_w, null);
  assert.equal(site.estimate_w, 32700);
  assert.deepEqual(site.missing, { count: 1, keys: ['pdu-r07-e'] });
  assert.equal(together([r07, r07]).missing.count, 1);
  assert.equal(together([whole(1), whole(2)]).power_w, 3);
  assert.equal(together([]).known_w, null);
});

test('a place is a range where a missing part may change the order', () => {
  const [a, b, c] = [34, 31, 6].map((low, i) => ({ low, partial: i === 1 }));
  assert.deepEqual(places([a, b, c]), ['1–2', '1–2', '3']);
});

test('another source than the usual one is tagged', () => {
  assert.match(source_tag({ source: 'bmc', instead_of: 'pdu' }), /BMC, not the wall/);
  assert.match(source_tag({ source: 'components', instead_of: null }), /Σ GPU/);
  assert.equal(source_tag({ source: 'bmc', instead_of: null }), '');
});

test('a power from energy registers says of how long it is the mean', () => {
  assert.match(source_tag({ source: 'pdu', instead_of: null, derived_s: 250 }), />mean of 4.min</);
  assert.equal(source_tag({ source: 'pdu', instead_of: null, derived_s: null }), '');
});
