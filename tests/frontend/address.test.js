import assert from 'node:assert/strict';
import { test } from 'node:test';
import { key_of_page, read, write } from '../../frontend/js/core/address.js';
import { own_address } from '../../frontend/js/core/prefix.js';
import { visit } from './browser.js';

test('what is not in the address has its fallback', () => {
  visit('http://wattline.test/racks/r07?window=7d');
  assert.equal(read('window', '24h'), '7d');
  assert.equal(read('margin', '10'), '10');
  assert.equal(read('from'), '');
});

test('writing keeps the other keys; null and the empty text remove one', () => {
  visit('http://wattline.test/jobs?q=llama&state=running&rows=60');
  write({ state: null, rows: '', user: 'ada' });
  assert.equal(location.href, 'http://wattline.test/jobs?q=llama&user=ada');
});

test('the key of a page is decoded', () => {
  visit('http://wattline.test/nodes/gpu%2001?window=1h');
  assert.equal(key_of_page(), 'gpu 01');
});

test('a change is one history entry, typing and writing the same are none', () => {
  const entries = visit('http://wattline.test/jobs');
  write({ state: 'running' });
  write({ state: 'running' });
  write({ q: 'lla' }, { typing: true });
  assert.deepEqual(entries, ['http://wattline.test/jobs?state=running']);
  assert.equal(location.href, 'http://wattline.test/jobs?state=running&q=lla');
});

const HOST = 'https://wattline.example.org';

test('signing in leads to a page of ours only', () => {
  assert.equal(own_address('/jobs?user=ada', HOST), `${HOST}/jobs?user=ada`);
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)', '//[']) {
    assert.equal(own_address(path, HOST), `${HOST}/`);
  }
  assert.equal(own_address('/.//evil.example', HOST), `${HOST}//evil.example`);
});
