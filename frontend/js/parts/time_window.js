// @ts-check
// The window of a page: a length such as 24h, or a range that was zoomed into. Both are kept in the address.
import { choices, read, write } from '../core/address.js';
import { $ } from '../core/dom.js';

const WINDOWS = { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d' };

export const requested_window = () => ({ window: read('window', '24h'), from: read('from'), to: read('to') });

/** @param {number | null} ms */
const iso = (ms) => (ms === null ? null : new Date(ms).toISOString());

/**
 * Keep a range in the address; null and null are the whole window.
 * @param {number | null} from_ms
 * @param {number | null} to_ms
 */
export const write_range = (from_ms, to_ms) => write({ from: iso(from_ms), to: iso(to_ms) });

/**
 * Connect the window's buttons and the button back to the whole window; return what a figure calls to zoom.
 * @param {() => void} load
 */
export function window_controls(load) {
  /** @type {import('../core/figure.js').Zoom} */
  const zoom = (from_ms, to_ms) => {
    write_range(from_ms, to_ms);
    load();
  };
  $('#whole').addEventListener('click', () => zoom(null, null));
  choices($('#window'), 'window', WINDOWS, '24h', () => zoom(null, null));
  return zoom;
}
