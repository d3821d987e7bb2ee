// @ts-check
// The window of a page as values: what its address says, what it asks the server, and where its buttons lead.
// Pure: addresses and times go in and come out.
import { DAY, HOUR, instant, parse, wall } from './when.js';

/** @import { Span } from './when.js' */

/**
 * @typedef {object} WindowState
 * @property {string} preset  a key of PRESETS, or '' for fixed times
 * @property {Span} span
 * @property {'' | 'week' | 'before'} compare
 * @property {string} within  the window that was zoomed into, as in an address; '' if there was no zoom
 */

/**
 * What a page declares about its windows.
 * @typedef {object} PageWindows
 * @property {string} usual  the window of an address that names none
 * @property {Span | null} whole  of the thing on the page, such as a run; no window leads out of it
 */

/** @type {Record<string, { label: string, short: string, name: string, ms: number }>} */
export const PRESETS = {
  all: { label: 'All', short: 'All', name: 'All times', ms: 0 },
  run: { label: 'Whole run', short: 'Whole run', name: 'Whole run', ms: 0 },
  '1h': { label: '1 h', short: '1 h', name: 'Last hour', ms: HOUR },
  '6h': { label: '6 h', short: '6 h', name: 'Last 6 h', ms: 6 * HOUR },
  '24h': { label: '24 h', short: '24 h', name: 'Last 24 h', ms: DAY },
  '7d': { label: '7 d', short: '7 d', name: 'Last 7 days', ms: 7 * DAY },
  '30d': { label: '30 d', short: '30 d', name: 'Last 30 days', ms: 30 * DAY },
  month: { label: 'This month', short: 'Month', name: 'This month', ms: 0 },
};
export const USUAL = '24h';
/** @type {PageWindows} */
const PLAIN = { usual: USUAL, whole: null };
export const SHORTEST_MS = 10_000;
const KEYS = ['window', 'from', 'to', 'compare', 'within'];

/** @param {number} ms */
const iso = (ms) => new Date(ms).toISOString().replace(/(:00)?\.000Z$/, 'Z');

/**
 * @param {string} preset
 * @param {string} zone
 * @param {number} now
 * @param {Span | null} [whole]
 * @returns {Span}
 */
export function preset_span(preset, zone, now, whole = null) {
  if (preset === 'month') return [parse('this month', zone, now)?.[0] ?? now - DAY, now];
  if (preset === 'run' && whole) return whole;
  if (preset === 'all') return [0, now];
  return [now - (PRESETS[preset] ?? PRESETS[USUAL]).ms, now];
}

/**
 * Return the time that an address holds: RFC 3339, milliseconds, or plain words.
 * @param {string} text
 * @param {string} zone
 * @param {number} now
 * @param {0 | 1} end
 */
function time_of(text, zone, now, end) {
  if (/^\d{9,}$/.test(text)) return Number(text);
  if (/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text)) return Date.parse(text) || null;
  return parse(text, zone, now)?.[end] ?? null;
}

/**
 * Return the window that an address names.
 * @param {URLSearchParams} query
 * @param {string} zone
 * @param {number} now
 * @param {PageWindows} [page]
 * @returns {WindowState}
 */
export function from_query(query, zone, now, page = PLAIN) {
  const asked = query.get('compare');
  const compare = asked === 'week' || asked === 'before' ? asked : '';
  const within = query.get('within') ?? '';
  const from = query.get('from');
  const to = query.get('to');
  if (from || to) {
    const end = to ? time_of(to, zone, now, 1) : now;
    const start = from ? time_of(from, zone, now, 0) : end === null ? null : end - DAY;
    if (start !== null && end !== null && start < end) return { preset: '', span: [start, end], compare, within };
  }
  const named = query.get('window') ?? page.usual;
  const preset = named in PRESETS ? named : page.usual;
  return { preset, span: preset_span(preset, zone, now, page.whole), compare, within: '' };
}

/**
 * Return a query with the window in it; times are UTC, so that a link shows the same minutes to everyone.
 * @param {URLSearchParams} query
 * @param {WindowState} state
 * @param {string} [usual]  of the page
 */
export function to_query(query, { preset, span, compare, within }, usual = USUAL) {
  const found = new URLSearchParams(query);
  for (const key of KEYS) found.delete(key);
  if (preset && preset !== usual) found.set('window', preset);
  if (!preset) {
    found.set('from', iso(span[0]));
    found.set('to', iso(span[1]));
    if (within) found.set('within', within);
  }
  if (compare) found.set('compare', compare);
  return found;
}

/**
 * Return what the server is asked for: a window that ends now, or two times.
 * @param {WindowState} state
 * @returns {{ window: string | null, from: string | null, to: string | null }}
 */
export function asked({ preset, span }) {
  if (preset === 'all' || preset === 'run') return { window: null, from: null, to: null };
  if (preset && preset !== 'month') return { window: preset, from: null, to: null };
  return { window: null, from: new Date(span[0]).toISOString(), to: preset ? null : new Date(span[1]).toISOString() };
}

/**
 * @param {Span} span
 * @param {number} now
 * @returns {Span}
 */
const not_after = ([start, end], now) => (end > now ? [now - (end - start), now] : [start, end]);

/**
 * Return the window before or after this one; forward stops at now.
 * @param {WindowState} state
 * @param {-1 | 1} direction
 * @param {number} now
 * @returns {WindowState}
 */
export function stepped(state, direction, now) {
  const ms = (state.span[1] - state.span[0]) * direction;
  return { ...state, preset: '', within: '', span: not_after([state.span[0] + ms, state.span[1] + ms], now) };
}

/**
 * Return twice the window around its middle.
 * @param {WindowState} state
 * @param {number} now
 * @returns {WindowState}
 */
export function zoomed_out(state, now) {
  const [start, end] = state.span;
  const half = (end - start) / 2;
  return { ...state, preset: '', within: '', span: not_after([start - half, end + half], now) };
}

/**
 * Return a part of the window; the address keeps the window that it is a part of.
 * @param {WindowState} state
 * @param {number} from_ms
 * @param {number} to_ms
 * @returns {WindowState}
 */
export function zoomed(state, from_ms, to_ms) {
  const [start, end] = [Math.round(from_ms), Math.round(to_ms)];
  const within = state.within || state.preset || state.span.map(iso).join('/');
  const middle = (start + end) / 2;
  /** @type {Span} */
  const span = end - start < SHORTEST_MS ? [middle - SHORTEST_MS / 2, middle + SHORTEST_MS / 2] : [start, end];
  return { ...state, preset: '', within, span };
}

/**
 * Return a window that does not lead out of the whole one.
 * @param {WindowState} state
 * @param {Span | null} whole
 * @returns {WindowState}
 */
export function inside(state, whole) {
  if (!whole || state.preset) return state;
  const ms = state.span[1] - state.span[0];
  if (ms >= whole[1] - whole[0]) return { ...state, preset: 'run', within: '', span: whole };
  const start = Math.min(Math.max(state.span[0], whole[0]), whole[1] - ms);
  return { ...state, span: [start, start + ms] };
}

/**
 * Return the window that was zoomed into, else the whole one of the page; without either the same window.
 * @param {WindowState} state
 * @param {string} zone
 * @param {number} now
 * @param {PageWindows} [page]
 * @returns {WindowState}
 */
export function reset(state, zone, now, page = PLAIN) {
  if (!state.within && (state.preset || page.usual !== 'run')) return state;
  const [from, to] = state.within.split('/');
  const query = new URLSearchParams(to ? { from, to } : { window: state.within || page.usual });
  return { ...from_query(query, zone, now, page), compare: state.compare };
}

/**
 * Return what a window is compared with: the same weekdays and hours a week before, or the window before, of a
 * calendar month the month before.
 * @param {Span} span
 * @param {'week' | 'before'} compare
 * @param {string} zone
 * @returns {Span}
 */
export function compared([start, end], compare, zone) {
  const [a, b] = [wall(start, zone).getTime(), wall(end, zone).getTime()];
  if (compare === 'week') return [instant(a - 7 * DAY, zone), instant(b - 7 * DAY, zone)];
  const first = new Date(a);
  if (is_month_start(first)) {
    const before = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 1, 1);
    if (is_month_start(new Date(b)) && b - a <= 31 * DAY) return [instant(before, zone), start];
    const length = Math.min(b - a, a - before); // a month that has not ended: as much of the month before
    if (b - a < 31 * DAY && b - a > DAY) return [instant(before, zone), instant(before + length, zone)];
  }
  const days = (b - a) / DAY;
  if (Number.isInteger(days)) return [instant(a - days * DAY, zone), start];
  return [start - (end - start), start];
}

/** @param {Date} t */
const is_month_start = (t) => t.getUTCDate() === 1 && t.getTime() % DAY === 0;

/**
 * Return what the window before this one is called.
 * @param {Span} span
 * @param {string} zone
 */
export function before_name(span, zone) {
  const start = wall(span[0], zone);
  const ms = span[1] - span[0];
  return is_month_start(start) && ms > DAY && ms < 32 * DAY ? 'month before' : 'window before';
}
