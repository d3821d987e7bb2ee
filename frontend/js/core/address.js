// @ts-check
// The state of a page is kept in its query string, so that a link reproduces the view.
//   read('window', '24h')   write({ window: '7d' })   (null or '' removes a key)
//   choices(element, 'window', { '24h': '24 h', '7d': '7 d' }, '24h', changed)   a .seg that writes the address
import { $ } from './dom.js';
import { escape, markup } from './markup.js';

/** @param {string} key */
export const read = (key, fallback = '') => new URLSearchParams(location.search).get(key) ?? fallback;

/** @param {Record<string, string | null>} values */
export function write(values) {
  const url = new URL(location.href);
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === '') url.searchParams.delete(key);
    else url.searchParams.set(key, value);
  }
  history.replaceState(null, '', url);
}

/**
 * Fill an element with one button per option; the pressed one is kept in the address.
 * @param {HTMLElement} element
 * @param {string} key
 * @param {Record<string, string>} options  value -> label
 * @param {string} fallback  the value that is not written to the address
 * @param {(value: string) => void} changed
 */
export function choices(element, key, options, fallback, changed) {
  const paint = () => {
    const requested = read(key, fallback);
    const now = requested in options ? requested : fallback;
    element.innerHTML = Object.entries(options)
      .map(
        ([value, label]) => markup`
          <button type="button" data-value="${escape(value)}" aria-pressed="${value === now}">${escape(label)}</button>
        `,
      )
      .join('');
  };
  element.addEventListener('click', ({ target }) => {
    const button = /** @type {Element} */ (target).closest('button');
    if (!button) return;
    const value = button.dataset.value ?? '';
    write({ [key]: value === fallback ? null : value });
    paint();
    $('[aria-pressed="true"]', HTMLElement, element).focus();
    changed(value);
  });
  paint();
}

// The last part of /racks/<key>.
export const key_of_page = () => decodeURIComponent(location.pathname.split('/').filter(Boolean).at(-1) ?? '');
