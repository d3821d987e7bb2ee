// @ts-check
// Reads one series of the page Explore over a window, and over the window that it is compared with.
import { as_problem, get } from '../core/api.js';
import { comparison } from '../time/week_before.js';
import { request_of } from './series.js';

/** @import { Problem } from '../core/api.js' */
/** @import { SeriesKey } from './series.js' */
/** @typedef {{ key: string, label: string, unit: string, coverage: number, t: number[], v: (number | null)[] }} Read */
/**
 * @typedef {object} Shown
 * @property {SeriesKey} series
 * @property {Read | null} found
 * @property {Read | null} known
 * @property {Read | null} then
 * @property {Problem | null} problem
 */

const MOST_POINTS = 1500;

/** @param {number} from  @param {number} to */
export const window_of = (from, to) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });

/**
 * @param {SeriesKey} series
 * @param {[number, number]} span
 * @returns {Promise<Shown>}
 */
export async function read_one(series, span) {
  const [address, own] = request_of(series);
  const other = comparison();
  const params = { ...own, max_points: MOST_POINTS };
  try {
    const [now, then] = await Promise.all([
      get(address, { ...params, ...window_of(...span) }),
      other && get(address, { ...params, from: other.from, to: other.to }),
    ]);
    const known = now.series.find((/** @type {Read} */ one) => one.key === 'known') ?? null;
    return { series, found: now.series[0] ?? null, known, then: then?.series[0] ?? null, problem: null };
  } catch (thrown) {
    return { series, found: null, known: null, then: null, problem: as_problem(thrown) };
  }
}
