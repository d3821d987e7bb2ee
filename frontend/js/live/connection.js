// @ts-check
// Stale is visible: when the stream or the server is gone, a bar says since when, and values grey out.
//   Listens to `wl-live` { state } of the stream and `wl-server` { ok, asked } of requests; `asked`: a person chose
//   something that the server has to answer.
import { $, fill } from '../core/dom.js';
import { span } from '../core/format.js';
import { icon, markup } from '../core/markup.js';
import { renew_ages } from './ages.js';

const GREY_AFTER_S = 5; // shorter breaks of the stream are not worth a bar
const EVERY_MS = 1000;

/**
 * Return what the bar says.
 * @param {number} since_s  how long there is no connection
 * @param {boolean} waits  whether a choice waits for the server
 */
export function stale_text(since_s, waits) {
  const text = `No connection to the server for ${span(since_s)}. Values are from then and may be wrong by now.`;
  return waits ? `${text} Your choice is shown as soon as the server responds.` : text;
}

/** @param {HTMLElement} after  the bar is placed behind it */
export function watch_connection(after) {
  const bar = Object.assign(document.createElement('div'), { className: 'stale-bar', hidden: true });
  bar.setAttribute('role', 'alert');
  fill(
    bar,
    markup`
      ${icon('lost')}<span class="text"></span><button class="btn" type="button">Try now</button>
    `,
  );
  after.after(bar);
  $('.btn', HTMLElement, bar).addEventListener('click', () => document.dispatchEvent(new Event('wl-retry')));
  /** @type {number | null} */
  let since_ms = null;
  let waits = false;

  function paint() {
    const gone_s = since_ms === null ? 0 : (Date.now() - since_ms) / 1000;
    const stale = since_ms !== null && (gone_s >= GREY_AFTER_S || waits);
    bar.hidden = !stale;
    document.documentElement.toggleAttribute('data-stale', stale);
    if (!stale) return;
    renew_ages();
    const said = stale_text(gone_s, waits);
    const place = $('.text', HTMLElement, bar);
    if (place.textContent !== said) place.textContent = said;
  }

  /** @param {boolean} ok */
  function set(ok, asked = false) {
    if (ok) [since_ms, waits] = [null, false];
    else {
      since_ms ??= Date.now();
      waits ||= asked;
    }
    paint();
  }

  document.addEventListener('wl-live', ({ detail: { state } }) => {
    if (state === 'broken') set(false);
    if (state === 'live') set(true);
  });
  document.addEventListener('wl-server', ({ detail: { ok, asked } }) => set(ok, asked));
  setInterval(paint, EVERY_MS);
}
