// @ts-check
// Draws the figures of a report. The report's file contains this module after figure.js, without the import.
import { draw } from './figure.js';

const figures = JSON.parse(document.querySelector('#figures')?.textContent ?? '{}');
for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-figure]'))) {
  const figure = figures[element.dataset.figure ?? ''];
  draw(element, figure);
  element.setAttribute('aria-label', figure.title); // a report has no menu
}
document.documentElement.dataset.drawn = 'true';
