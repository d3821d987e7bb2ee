// @ts-check
// The state of a page is kept in its query string, so that a link reproduces the view and back and forward work.
//   read('window', '24h')   write({ window: '7d' })   (null or '' removes a key; one history entry)
//   write({ q: 'lla' }, { typing: true })   changes the address without an entry
//   choices(element, 'window', { '24h': '24 h', '7d': '7 d' }, '24h', changed)   a .seg that writes the address
//   handle_keys(['window'], changed)   calls back when back or forward change a key; a key without a handler reloads
import { fill } from './dom.js';
import { escape, markup } from './markup.js';

/** @param {string} key */
export const read = (key, fallback = '') => new URLSearchParams(location.search).get(key) ?? fallback;

/**
 * @param {Record<string, string | null>} values
 * @param {{ typing?: boolean }} [options]
 */
export function write(values, { typing = false } = {}) {
  const url = new URL(location.href);
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === '') url.searchParams.delete(key);
    else url.searchParams.set(key, value);
  }
  if (url.href === location.href) return;
  if (typing) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  seen = new URLSearchParams(url.search);
}

/** @type {Map<string, () => void>} */
const handlers = new Map();
let seen = new URLSearchParams(typeof location === 'undefined' ? '' : location.search);

/**
 * @param {string[]} keys
 * @param {() => void} changed
 */
export function handle_keys(keys, changed) {
  for (const key of keys) handlers.set(key, changed);
}

function follow_history() {
  const now = new URLSearchParams(location.search);
  const before = seen;
  const changed = [...new Set([...seen.keys(), ...now.keys()])].filter(
    (key) => `${before.getAll(key)}` !== `${now.getAll(key)}`,
  );
  seen = now;
  if (changed.some((key) => !handlers.has(key))) {
    location.reload();
    return;
  }
  for (const handler of new Set(changed.map((key) => handlers.get(key)))) handler?.();
}
if (typeof addEventListener !== 'undefined') addEventListener('popstate', follow_history);

/** Note the address as it is: who writes it otherwise calls this. */
export function note_address() {
  seen = new URLSearchParams(location.search);
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
  const chosen = () => {
    const requested = read(key, fallback);
    return requested in options ? requested : fallback;
  };
  const paint = () => {
    const now = chosen();
    fill(
      element,
      Object.entries(options)
        .map(
          ([value, label]) => markup`
            <button type="button" data-value="${escape(value)}"
            aria-pressed="${value === now}">${escape(label)}</button>
          `,
        )
        .join(''),
    );
  };
  element.addEventListener('click', ({ target }) => {
    const button = /** @type {Element} */ (target).closest('button');
    if (!button) return;
    const value = button.dataset.value ?? '';
    write({ [key]: value === fallback ? null : value });
    paint();
    changed(value);
  });
  handle_keys([key], () => {
    paint();
    changed(chosen());
  });
  paint();
}

// The last part of /racks/<key>.
export const key_of_page = () => decodeURIComponent(location.pathname.split('/').filter(Boolean).at(-1) ?? '');
