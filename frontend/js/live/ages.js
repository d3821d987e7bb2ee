// @ts-check
// Ages: how long ago something was read. They go on growing while the page has no connection.
import { ago, span } from '../core/format.js';
import { age_s } from '../core/live.js';

/** @type {Record<string, (seconds: number) => string>} */
const WORDS = { ago, span };

/**
 * Return an age as HTML, such as `6 s ago`, or `6 s` as a span.
 * @param {import('../answers.js').When} when
 * @param {'ago' | 'span'} [words]
 */
export const aged = (when, words = 'ago') =>
  `<span data-since="${new Date(when).getTime()}" data-words="${words}">${WORDS[words](age_s(when))}</span>`;

/** Write every age of the page again. */
export function renew_ages() {
  for (const element of document.querySelectorAll('[data-since]')) {
    const { since, words = 'ago' } = /** @type {HTMLElement} */ (element).dataset;
    const text = WORDS[words](age_s(Number(since)));
    if (element.textContent !== text) element.textContent = text;
  }
}
