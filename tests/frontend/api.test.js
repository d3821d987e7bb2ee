import assert from 'node:assert/strict';
import { test } from 'node:test';
import { as_problem, curl, path, Problem } from '../../frontend/js/core/api.js';
import { visit } from './browser.js';

test('a path omits what is not given', () => {
  assert.equal(path('/facility'), '/api/v1/facility');
  assert.equal(path('/views/jobs?state=running', { zone: 'site' }), '/api/v1/views/jobs?state=running&zone=site');
  assert.equal(path('/jobs', { q: 'a b', from: null, to: '', limit: 0 }), '/api/v1/jobs?q=a+b&limit=0');
});

test('the request as curl has the full address', () => {
  visit('http://wattline.test/');
  assert.equal(curl('/api/v1/jobs'), "curl -s 'http://wattline.test/api/v1/jobs'");
});

test('a problem document keeps its detail and hint', () => {
  const problem = new Problem({ title: 'Not found', detail: 'no rack r99', hint: 'see /racks', status: 404 });
  assert.equal(as_problem(problem), problem);
  assert.deepEqual([problem.message, problem.hint, problem.status], ['no rack r99', 'see /racks', 404]);
});
