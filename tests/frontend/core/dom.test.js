import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marks, most_alike } from '../../../frontend/js/core/dom.js';

/**
 * @param {string} tagName
 * @param {Record<string, string>} attributes
 * @param {object | null} parentElement
 */
const element = (tagName, attributes, parentElement = null) => ({
  tagName,
  parentElement,
  getAttributeNames: () => Object.keys(attributes),
  getAttribute: (/** @type {string} */ name) => attributes[name],
});

test('a control is recognised by its own attributes and those of the row around it, not by its look', () => {
  const panel = element('DIV', { id: 'devices' });
  const row = element('TR', { 'data-point': 'outlet/7', class: 'on', style: 'color:red' }, panel);
  const link = element('A', { href: '/devices/pdu-a', class: 'link', title: 'x', 'aria-label': 'PDU A' }, row);
  assert.deepEqual(marks(/** @type {any} */ (link), /** @type {any} */ (panel)), [
    'A',
    'href=/devices/pdu-a',
    'aria-label=PDU A',
    'data-point=outlet/7',
  ]);
});

test('the same link is found wherever it has moved to', () => {
  const gone = { at: 0, marks: ['A', 'href=/devices/b'] };
  assert.equal(
    most_alike(gone, [
      ['A', 'href=/devices/a'],
      ['A', 'href=/devices/c'],
      ['A', 'href=/devices/b'],
    ]),
    2,
  );
});

test('a button keeps its name when its label changes', () => {
  const gone = { at: 1, marks: ['BUTTON', 'data-do=back', 'aria-label=Back by 24 h'] };
  assert.equal(
    most_alike(gone, [
      ['BUTTON', 'data-do=forward', 'aria-label=Forward by 7 d'],
      ['BUTTON', 'data-do=open'],
      ['BUTTON', 'data-do=back', 'aria-label=Back by 7 d'],
    ]),
    2,
  );
});

test('of controls that are alike, or where it is gone, the one in its place; at the end the last', () => {
  const links = [
    ['A', 'href=/jobs/1'],
    ['A', 'href=/jobs/1'],
    ['A', 'href=/jobs/2'],
  ];
  assert.equal(most_alike({ at: 1, marks: ['A', 'href=/jobs/1'] }, links), 1);
  assert.equal(most_alike({ at: 1, marks: ['A', 'href=/jobs/9'] }, links), 1);
  assert.equal(most_alike({ at: 8, marks: ['A', 'href=/jobs/9'] }, links), 2);
  assert.equal(most_alike({ at: 0, marks: ['A'] }, []), -1);
});
