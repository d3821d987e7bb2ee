import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figure_html, figure_svg, window_text, wrapped } from '../../../frontend/js/export/figure_file.js';

const CHART = '<?xml version="1.0"?><svg class="main-svg" width="700" height="400"><path d="M0 0"/></svg>';
const PARTS = {
  chart: CHART,
  title: 'The rack stays 39 kW under its capacity',
  unit: 'kW by node',
  /** @type {[string, string][]} */
  legend: [
    ['hgx-01', '#1a5fc4'],
    ['Σ GPU', '#d06b10'],
  ],
  lines: ['2026-11-21 17:30 to 2026-11-22 17:30 UTC', 'Source: http://host/api', 'Cite as: Wattline <1>'],
  colors: { ink: '#000', soft: '#555', surface: '#fff' },
};

test('a figure carries title, unit, legend, window, source and citation', () => {
  const { svg, width, height } = figure_svg(PARTS, { width: 673, height: 320, mm: 178 });
  for (const text of ['39 kW under', '(kW by node)', 'hgx-01', '#d06b10', '17:30 UTC', 'Source:', 'Wattline &lt;1&gt;'])
    assert.ok(svg.includes(text), text);
  assert.match(svg, /^<svg [^>]*width="178mm"/);
  assert.match(svg, /<svg x="0" y="\d+" class="main-svg" width="673" height="320">/);
  assert.equal(width, 673);
  assert.ok(height > 320);
});

test('text wraps at words, and breaks one that is longer than a line', () => {
  assert.deepEqual(wrapped('one two three', 44, 10), ['one two', 'three']);
  assert.deepEqual(wrapped('x'.repeat(20), 44, 10), ['x'.repeat(8), 'x'.repeat(8), 'x'.repeat(4)]);
});

test('a document of its own: figure and data, nothing from elsewhere', () => {
  const { svg } = figure_svg(PARTS, { width: 960, height: 420 });
  const html = figure_html(svg, 'A < B', { columns: ['time', 'hgx-01 [kW]'], rows: [['2026-11-22T00:00:00Z', 1.5]] });
  assert.match(html, /<title>A &lt; B<\/title>/);
  assert.match(html, /<td>1\.5<\/td>/);
  assert.doesNotMatch(html, /<script|<link|src=/);
});

test('a window has its zone', () => {
  assert.equal(window_text(0, 86_400_000, 'Europe/Berlin'), '1970-01-01 00:00 to 1970-01-02 00:00 Europe/Berlin');
});
