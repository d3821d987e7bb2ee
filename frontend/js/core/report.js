// Draws the figures of a report. In the report's file this stands behind figure.js, without its import.
import { draw } from './figure.js';

const figures = JSON.parse(document.querySelector('#figures').textContent);
for (const element of document.querySelectorAll('[data-figure]')) {
  const figure = figures[element.dataset.figure];
  draw(element, figure);
  element.setAttribute('aria-label', figure.title);            // a report has no menu
}
document.documentElement.dataset.drawn = 'true';
