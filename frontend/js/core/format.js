// @ts-check
// How pages write numbers and times; app/presentation/text/numbers.py follows the same rules.
// Thin space before a unit, narrow no-break space between thousands, U+2212 for minus, en dash for missing.
// Times are in the zone of the page.

import { shown } from '../time/zone.js';

/** @import { Num, When } from '../answers.js' */

export const THIN = '\u2009';
export const MISSING = '\u2013';

/**
 * @param {unknown} x
 * @returns {x is null | undefined}
 */
const missing = (x) => x === null || x === undefined || Number.isNaN(x);

/** @param {Num} x */
export function num(x, digits = 0) {
  if (missing(x)) return MISSING;
  const text = Math.abs(x).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const negative = x < 0 && /[1-9]/.test(text);
  return (negative ? '\u2212' : '') + text.replaceAll(',', '\u202f');
}

/**
 * n significant digits: 0.0123, 1.23, 12.3, 123, 1 234.
 * @param {Num} x
 */
export function significant(x, n = 3) {
  if (missing(x)) return MISSING;
  return num(x, x === 0 ? 0 : Math.max(0, n - 1 - Math.floor(Math.log10(Math.abs(x)))));
}

/** @param {Num} watts */
export const kw = (watts, digits = 2) => num(missing(watts) ? null : watts / 1000, digits);

/**
 * A limit in kW: whole where it is whole, else one decimal (70, 14.4).
 * @param {Num} watts
 */
export const limit_kw = (watts) =>
  missing(watts) ? MISSING : num(watts / 1000, Number.isInteger(Math.round(watts) / 1000) ? 0 : 1);

/** @param {Num} joules */
export const kwh = (joules, digits = 2) => num(missing(joules) ? null : joules / 3.6e6, digits);

/** @param {Num} x */
export const pct = (x, digits = 0) => (missing(x) ? MISSING : `${num(x, digits)}${THIN}%`);

/**
 * A share of time measured, 0…1: rounded down, so that 99.96 % never reads as 100 %.
 * @param {Num} share
 */
export function coverage(share) {
  if (missing(share)) return MISSING;
  return share >= 1 ? `100${THIN}%` : `${num(Math.floor(share * 1000) / 10, 1)}${THIN}%`;
}

/**
 * A number with its noun: 1 node, 5 nodes.
 * @param {number} n
 * @param {string} one
 */
export const count = (n, one, many = `${one}s`) => `${num(n)} ${n === 1 ? one : many}`;

/** @param {number} n */
const two = (n) => String(n).padStart(2, '0');

/**
 * 0.5 s · 12 s · 41 min 03 s · 1 h 19 min · 3 d 04 h
 * @param {Num} seconds
 */
export function duration(seconds) {
  if (missing(seconds)) return MISSING;
  if (seconds > 0 && seconds < 1) return `${num(seconds, seconds < 0.1 ? 2 : 1)}${THIN}s`;
  const s = Math.max(0, Math.round(seconds));
  const [d, h, m] = [Math.floor(s / 86400), Math.floor(s / 3600), Math.floor(s / 60)];
  if (d >= 2) return `${d}${THIN}d ${two(h % 24)}${THIN}h`;
  if (h) return `${h}${THIN}h ${two(m % 60)}${THIN}min`;
  return m ? `${m}${THIN}min ${two(s % 60)}${THIN}s` : `${s}${THIN}s`;
}

/**
 * A rough age: 2 s, 41 min, 3 h, 5 d.
 * @param {Num} seconds
 */
export function span(seconds) {
  if (missing(seconds)) return MISSING;
  const s = Math.max(0, Math.round(seconds));
  if (s < 100) return `${s}${THIN}s`;
  if (s < 5400) return `${Math.round(s / 60)}${THIN}min`;
  return s < 172800 ? `${Math.round(s / 3600)}${THIN}h` : `${Math.round(s / 86400)}${THIN}d`;
}

/** @param {Num} seconds */
export const ago = (seconds) => (missing(seconds) ? MISSING : `${span(seconds)} ago`);

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** @typedef {When | Date | null | undefined} Moment */

/** @param {Moment} when */
export function clock(when) {
  if (missing(when)) return MISSING;
  const t = shown(new Date(when).getTime());
  return `${two(t.getUTCHours())}:${two(t.getUTCMinutes())}`;
}

/** @param {Moment} when */
export const clock_s = (when) =>
  missing(when) ? MISSING : `${clock(when)}:${two(shown(new Date(when).getTime()).getUTCSeconds())}`;

/** @param {Moment} when */
export const day = (when) =>
  missing(when) ? MISSING : `${short_day(when)} ${shown(new Date(when).getTime()).getUTCFullYear()}`;

/** @param {Moment} when */
export function short_day(when) {
  if (missing(when)) return MISSING;
  const t = shown(new Date(when).getTime());
  return `${t.getUTCDate()} ${MONTHS[t.getUTCMonth()]}`;
}

/**
 * The clock for today, day and clock for another day.
 * @param {Moment} when
 * @param {When} [now]
 */
export function moment(when, now = Date.now()) {
  if (missing(when)) return MISSING;
  /** @param {When | Date} t */
  const days = (t) => Math.floor(shown(new Date(t).getTime()).getTime() / 864e5);
  return days(when) === days(now) ? clock(when) : `${short_day(when)} ${clock(when)}`;
}
