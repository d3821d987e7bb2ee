// @ts-check
// The window of this page: kept in the address, one history entry per change, one event `wl-window` for everything that
// shows it. The time bar changes it, and so does a zoom in any chart.
import { handle_keys, note_address } from '../core/address.js';
import { now_ms } from '../core/live.js';
import { choose_zone, learn_site, read_zone, zone_choice, zone_name } from './zone.js';
import { asked, from_query, inside, preset_span, reset, to_query, USUAL, zoomed } from './window_state.js';

/** @import { Span } from './when.js' */
/** @import { PageWindows, WindowState } from './window_state.js' */
/** @import { ZoneChoice } from './zone.js' */

/** @type {PageWindows & { is_over: boolean }} */
export const page = {
  usual: document.querySelector('wl-time')?.getAttribute('usual') ?? USUAL,
  whole: null,
  is_over: false,
};
const read = () => from_query(new URLSearchParams(location.search), zone_name(), now_ms(), page);
let state = read();

const announce = () => document.dispatchEvent(new Event('wl-window'));

/** Return the window; one that ends now has its ends of this moment. */
export function page_window() {
  if (state.preset) state = { ...state, span: preset_span(state.preset, zone_name(), now_ms(), page.whole) };
  return state;
}

/** Return the query of a request for what this page shows. */
export const requested_window = () => asked(page_window());

/** Return the ends of the window as RFC 3339: none of all times, no end of a window that ends now. */
export function requested_times() {
  const { preset, span } = page_window();
  const open = preset === 'all' || preset === 'run';
  return {
    from: open ? null : new Date(span[0]).toISOString(),
    to: preset ? null : new Date(span[1]).toISOString(),
  };
}

/**
 * Set the whole window of the thing on this page, as soon as it is known.
 * @param {Span} span
 * @param {boolean} is_over  whether it has ended
 */
export function set_whole(span, is_over) {
  page.whole = span;
  page.is_over = is_over;
  document.dispatchEvent(new Event('wl-whole'));
}

/**
 * Show another window.
 * @param {WindowState} next
 */
export function go(next) {
  state = inside(next, page.whole);
  push();
}

/** @param {ZoneChoice} zone */
export function go_zone(zone) {
  choose_zone(zone);
  state = read();
  push();
}

function push() {
  const url = new URL(location.href);
  const query = to_query(url.searchParams, state, page.usual);
  if (zone_choice() === 'site') query.delete('zone');
  else query.set('zone', zone_choice());
  url.search = query.toString();
  if (url.href !== location.href) history.pushState(null, '', url);
  note_address();
  announce();
}

/**
 * Zoom into a part of the window; null and null return to the window that was zoomed into.
 * @type {import('../charts/figure.js').Zoom}
 */
export function zoom(from_ms, to_ms) {
  if (from_ms === null || to_ms === null) {
    const whole = reset(state, zone_name(), now_ms(), page);
    if (whole !== state) go(whole);
  } else go(zoomed(page_window(), from_ms, to_ms));
}

/**
 * Load when the window or the zone changes; return what a figure calls to zoom.
 * @param {() => void} load
 */
export function window_controls(load) {
  document.addEventListener('wl-window', load);
  return zoom;
}

/**
 * Return the address of another page with this window.
 * @param {string} path
 * @param {Record<string, string>} [more]
 */
export function with_window(path, more = {}) {
  const query = to_query(new URLSearchParams(), state);
  for (const [key, value] of Object.entries(more)) query.set(key, value);
  return query.size ? `${path}?${query}` : path;
}

handle_keys(['window', 'from', 'to', 'compare', 'within', 'zone'], () => {
  read_zone();
  state = read();
  announce();
});

document.addEventListener('wl-site', ({ detail }) => {
  if (!learn_site(detail.timezone)) return;
  state = read();
  announce();
});
