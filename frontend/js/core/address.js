// The state of a page lives in its query string, so that a link reproduces the view.
//   read('window', '24h')   write({ window: '7d' })   (null or the default removes a key)
//   choices(element, 'window', { '24h': '24 h', '7d': '7 d' }, '24h', changed)   a .seg that writes the address
import { escape } from './format.js';

export const read = (key, fallback = '') => new URLSearchParams(location.search).get(key) ?? fallback;

export function write(values) {
  const url = new URL(location.href);
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === '') url.searchParams.delete(key);
    else url.searchParams.set(key, value);
  }
  history.replaceState(null, '', url);
}

export function choices(element, key, options, fallback, changed) {
  const paint = () => {
    const asked = read(key, fallback);
    const now = asked in options ? asked : fallback;
    element.innerHTML = Object.entries(options).map(([value, label]) =>
      `<button type="button" data-value="${escape(value)}" aria-pressed="${value === now}">${escape(label)}</button>`).join('');
  };
  element.addEventListener('click', (event) => {
    const button = event.target.closest('button');
    if (!button) return;
    write({ [key]: button.dataset.value === fallback ? null : button.dataset.value });
    paint();
    element.querySelector('[aria-pressed="true"]').focus();
    changed(button.dataset.value);
  });
  paint();
}

// The last part of /racks/<key>.
export const key_of_page = () => decodeURIComponent(location.pathname.split('/').filter(Boolean).at(-1) ?? '');
