// @ts-check
// The address of the list of jobs: its filters and its window, and what they ask the server.
import { note_address } from '../core/address.js';
import { page_window, requested_times } from '../time/window.js';

export const FILTERS = ['q', 'state', 'user', 'node', 'coverage', 'tag', 'project', 'cluster', 'job_id'];

export const address = () => new URLSearchParams(location.search);

/** @param {Record<string, string | number>} [extra] */
export function query(extra = {}) {
  const here = address();
  const wanted = new URLSearchParams();
  for (const key of FILTERS) for (const value of here.getAll(key)) if (value) wanted.append(key, value);
  for (const [end, time] of Object.entries(requested_times())) if (time) wanted.set(end, time);
  if (here.get('sort')) wanted.set('sort', here.get('sort') ?? '');
  Object.entries(extra).forEach(([key, value]) => wanted.set(key, String(value)));
  return wanted.size ? `?${wanted}` : '';
}

/**
 * @param {(params: URLSearchParams) => void} change
 * @param {boolean} [quiet]  no entry of the history
 */
export function write(change, quiet = false) {
  const url = new URL(location.href);
  change(url.searchParams);
  if (url.href === location.href) return;
  if (quiet) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  note_address();
}

export const filtered = () => FILTERS.some((key) => address().has(key));
export const is_part = () => page_window().preset !== 'all';
