import assert from 'node:assert/strict';
import { test } from 'node:test';
import { address_of, marked, matching_pages, results, value_of } from '../../frontend/js/search/results.js';

/** @import { SearchHit, SearchView } from '../../frontend/js/answers.js' */

const hit = {
  kind: /** @type {const} */ ('rack'),
  key: 'r/7',
  label: 'R<7>',
  detail: 'Hall 1',
  power_w: null,
  at_least: false,
};
/** @type {SearchHit} */
const known = { ...hit, energy_j: null, state: null };
/** @param {string} html */
const plain = (html) =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/[\u2009\u202f]/g, ' ')
    .trim();

test('every kind of result leads to its page', () => {
  const kinds = ['rack', 'node', 'device', 'job', 'user'];
  assert.deepEqual(
    kinds.map((kind) => address_of({ kind, key: 'a/b' })),
    ['/racks/a%2Fb', '/nodes/a%2Fb', '/devices/a%2Fb', '/jobs/a%2Fb', '/jobs?user=a%2Fb'],
  );
  const [room, site, outlet] = ['room', 'site', 'outlet'].map((kind) => address_of({ kind, key: 'a b/outlet/7' }));
  assert.equal(room, '/explore?s=room%2Fa%20b%2Foutlet%2F7');
  assert.equal(site, '/explore?s=site%2Fa%20b%2Foutlet%2F7');
  assert.equal(outlet, '/devices/a%20b?point=outlet%2F7');
});

test('words of the search are marked, and nothing else becomes markup', () => {
  assert.equal(marked('<b>R07 r07', 'R07'), '&lt;b&gt;<mark>R07</mark> <mark>r07</mark>');
  assert.equal(marked('a.b', '.'), 'a<mark>.</mark>b');
  assert.equal(marked('a (b', '( '), 'a <mark>(</mark>b');
});

test('the value is the power now, a bound of it, or why there is none', () => {
  assert.equal(plain(value_of({ ...known, power_w: 13_256 })), '13.26 kW');
  assert.equal(plain(value_of({ ...known, power_w: 13_256, at_least: true })), '≥ 13.25 kW');
  assert.equal(plain(value_of({ ...known, state: 'silent' })), 'silent');
  assert.equal(plain(value_of({ ...known, energy_j: 7.2e6, state: 'COMPLETED' })), '2.00 kWh');
  assert.equal(value_of(known), '');
});

test('pages are found by their name and other words', () => {
  const pages = [
    { name: 'Checks', href: '/checks', words: 'meters disagree' },
    { name: 'Jobs', href: '/jobs' },
  ];
  assert.deepEqual(
    matching_pages(pages, 'METER').map(({ name }) => name),
    ['Checks'],
  );
  assert.deepEqual(
    matching_pages(pages, '').map(({ name }) => name),
    ['Checks', 'Jobs'],
  );
});

test('results are grouped, escaped, and lead on where there are more', () => {
  /** @type {SearchView['groups']} */
  const groups = [
    { kind: 'rack', title: 'Racks', items: [known], more: true },
    { kind: 'job', title: 'Jobs', items: [{ ...known, kind: 'job' }], more: true },
  ];
  const html = results({ q: 'r', groups }, [], 'r&d');
  assert.match(html, /R&lt;7&gt;/);
  assert.match(html, /the first 1; more words narrow it/);
  assert.match(html, /href="\/jobs\?q=r%26d"/);
  assert.equal(results(null, [], 'x'), '');
});
