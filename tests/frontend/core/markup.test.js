import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escape, icon, markup, unit } from '../../../frontend/js/core/markup.js';

test('text is escaped for HTML and attributes', () => {
  assert.equal(escape(`<a href="x">&'</a>`), '&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;');
  assert.equal(escape(null), '');
  assert.equal(escape(0), '0');
});

test('a broken template leaves no space between tags, and one between attributes', () => {
  const made = markup`
    <a class="link"
    href="${'/x'}">${'text'}</a>
    ${'<b>'} and
    more</b>
  `;
  assert.equal(made, '<a class="link" href="/x">text</a><b> and more</b>');
});

test('values keep their line breaks', () => {
  assert.equal(markup`<i title="${'a\n b'}"></i>`, '<i title="a\n b"></i>');
});

test('a unit has a thin space; an icon a reference', () => {
  assert.equal(unit('1.2', 'kW'), '1.2\u2009<span class="u">kW</span>');
  assert.match(icon('warn', 'crit'), /^<svg class="i crit" aria-hidden="true"><use href="[^"]*icons\.svg#warn"\/>/);
});
