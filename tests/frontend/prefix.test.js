// @ts-check
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { own_address } from '../../frontend/js/core/prefix.js';

const HOST = 'https://wattline.example.org';

test('signing in leads to a page of ours only', () => {
  assert.equal(own_address('/jobs?user=ada', HOST), `${HOST}/jobs?user=ada`);
  for (const path of ['//evil.example', '/\\evil.example', 'https://evil.example/', 'javascript:alert(1)', '//[']) {
    assert.equal(own_address(path, HOST), `${HOST}/`);
  }
  assert.equal(own_address('/.//evil.example', HOST), `${HOST}//evil.example`);
});
