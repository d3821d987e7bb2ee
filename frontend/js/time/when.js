// @ts-check
// Plain words for time, and times in a zone. All is stored and sent in UTC: a zone changes what is read and typed.
// A `wall` time is the time that a clock on the wall shows, held in a Date that is read by its getUTC… methods.

export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH_NAMES = `january february march april may june july august september october november december`.split(' ');
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const THIN = '\u2009';

/** @typedef {[start_ms: number, end_ms: number]} Span */

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map();
/** @type {Map<string, number | null>} */
const days = new Map(); // the offset of a whole UTC day, null where clocks change in it

/** @param {string} zone */
function format_of(zone) {
  let found = formats.get(zone);
  if (!found) {
    const parts = /** @type {const} */ ({ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' });
    const rest = /** @type {const} */ ({ minute: 'numeric', second: 'numeric', hourCycle: 'h23' });
    found = new Intl.DateTimeFormat('en-US', { timeZone: zone, ...parts, ...rest });
    formats.set(zone, found);
  }
  return found;
}

/**
 * Return whether the browser knows a zone.
 * @param {string} zone
 */
export function is_zone(zone) {
  try {
    return Boolean(format_of(zone));
  } catch {
    return false;
  }
}

/**
 * @param {number} ms
 * @param {string} zone
 */
function exact(ms, zone) {
  const parts = Object.fromEntries(
    format_of(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year, month, day, hour, minute, second } = parts;
  const shown = Date.UTC(year, month - 1, day, hour, minute, second);
  return Math.round((shown - ms) / MINUTE) * MINUTE;
}

/**
 * Return how far a zone is ahead of UTC at a time [ms].
 * @param {number} ms
 * @param {string} zone  IANA name
 */
export function offset(ms, zone) {
  if (zone === 'UTC' || !Number.isFinite(ms)) return 0;
  const day = Math.floor(ms / DAY);
  const key = `${zone} ${day}`;
  let known = days.get(key);
  if (known === undefined) {
    const [first, last] = [exact(day * DAY, zone), exact((day + 1) * DAY, zone)];
    known = first === last ? first : null;
    days.set(key, known);
  }
  return known ?? exact(ms, zone);
}

/**
 * @param {number} ms
 * @param {string} zone
 */
export const wall = (ms, zone) => new Date(ms + offset(ms, zone));

/**
 * Return the time at which clocks show a wall time; of two the first, of none the one an hour later.
 * @param {number} shown  as if it were UTC [ms]
 * @param {string} zone
 */
export function instant(shown, zone) {
  const early = shown - offset(shown - DAY, zone);
  return early + offset(early, zone) === shown ? early : shown - offset(shown - offset(shown, zone), zone);
}

/** @param {number} n */
const two = (n) => String(n).padStart(2, '0');

/**
 * @param {number} ms
 * @param {string} zone
 */
export function hour_minute(ms, zone) {
  const t = wall(ms, zone);
  return `${two(t.getUTCHours())}:${two(t.getUTCMinutes())}`;
}

/**
 * @param {number} ms
 * @param {string} zone
 */
export function day_month(ms, zone, year = false) {
  const t = wall(ms, zone);
  return `${t.getUTCDate()} ${MONTHS[t.getUTCMonth()]}${year ? ` ${t.getUTCFullYear()}` : ''}`;
}

/**
 * Return a time in full: `Sun 1 Nov 2026, 08:00 UTC−5`.
 * @param {number} ms
 * @param {string} zone
 */
export const in_full = (ms, zone) =>
  [
    `${WEEKDAYS[wall(ms, zone).getUTCDay()]} ${day_month(ms, zone, true)},`,
    hour_minute(ms, zone),
    utc_text(ms, zone),
  ].join(' ');

/**
 * Return a time as it may be typed: `2026-11-01 08:00`.
 * @param {number} ms
 * @param {string} zone
 */
export const typed = (ms, zone) => wall(ms, zone).toISOString().slice(0, 16).replace('T', ' ');

/**
 * Return the offset of a zone: `UTC−5`, `UTC+5:30`.
 * @param {number} ms
 * @param {string} zone
 */
export function utc_text(ms, zone) {
  const minutes = offset(ms, zone) / MINUTE;
  if (!minutes) return 'UTC';
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? '\u2212' : '+'}${Math.floor(Math.abs(minutes) / 60)}${rest ? `:${two(rest)}` : ''}`;
}

/**
 * Return a length of time: `40 min`, `18 h`, `4.5 d`.
 * @param {number} ms
 */
export function length(ms) {
  if (ms < 2 * MINUTE) return `${Math.round(ms / 1000)}${THIN}s`;
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)}${THIN}min`;
  return ms < 2 * DAY ? `${Number((ms / HOUR).toFixed(1))}${THIN}h` : `${Number((ms / DAY).toFixed(1))}${THIN}d`;
}

// ---- plain words --------------------------------------------------------------------------
/** @type {[names: string[], ms: number][]} */
const LENGTHS = [
  [['s', 'sec', 'second', 'seconds'], 1000],
  [['m', 'min', 'mins', 'minute', 'minutes'], MINUTE],
  [['h', 'hr', 'hrs', 'hour', 'hours'], HOUR],
  [['d', 'day', 'days'], DAY],
  [['w', 'week', 'weeks'], 7 * DAY],
];

/**
 * Return the days (as if UTC) that a text names, or null. Wall is now on the wall.
 * @param {string} text
 * @param {Date} now
 * @returns {Span | null}
 */
function days_of(text, now) {
  const [y, m, d] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  /** @type {(y: number, m: number, d: number) => Span} */
  const day = (year, month, date) => [Date.UTC(year, month, date), Date.UTC(year, month, date + 1)];
  if (text === '' || text === 'today') return day(y, m, d);
  if (text === 'yesterday') return day(y, m, d - 1);
  const period = /^(this|last) (week|month|year)$/.exec(text);
  if (period) return calendar(period[2], period[1] === 'last' ? 1 : 0, now);
  const weekday = /^(?:last |on )?(sun|mon|tue|wed|thu|fri|sat)(?:day|sday|nesday|rsday|urday)?$/.exec(text);
  if (weekday) {
    const wanted = WEEKDAYS.findIndex((name) => name.toLowerCase() === weekday[1]);
    return day(y, m, d - (((now.getUTCDay() - wanted + 6) % 7) + 1));
  }
  return date_of(text, now);
}

/**
 * @param {string} unit
 * @param {number} back
 * @param {Date} now
 * @returns {Span}
 */
function calendar(unit, back, now) {
  const [y, m, d] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (unit === 'month') return [Date.UTC(y, m - back, 1), Date.UTC(y, m - back + 1, 1)];
  if (unit === 'year') return [Date.UTC(y - back, 0, 1), Date.UTC(y - back + 1, 0, 1)];
  const monday = d - ((now.getUTCDay() + 6) % 7) - 7 * back;
  return [Date.UTC(y, m, monday), Date.UTC(y, m, monday + 7)];
}

/**
 * @param {string} text
 * @param {Date} now
 * @returns {Span | null}
 */
function date_of(text, now) {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso) return existing(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  const named =
    /^(\d{1,2})\.? ([a-z]{3,9})(?:,? (\d{4}))?$/.exec(text) ?? /^([a-z]{3,9}) (\d{1,2})(?:,? (\d{4}))?$/.exec(text);
  if (!named) return null;
  const [word, date] = /\d/.test(named[1]) ? [named[2], named[1]] : [named[1], named[2]];
  const month = MONTH_NAMES.findIndex((name) => word.length >= 3 && name.startsWith(word));
  if (month < 0) return null;
  if (named[3]) return existing(Number(named[3]), month, Number(date));
  const year = now.getUTCFullYear();
  return existing(Date.UTC(year, month, Number(date)) > now.getTime() ? year - 1 : year, month, Number(date));
}

/**
 * @param {number} year
 * @param {number} month
 * @param {number} date
 * @returns {Span | null}
 */
function existing(year, month, date) {
  const start = Date.UTC(year, month, date);
  const day = new Date(start);
  return day.getUTCMonth() === month && day.getUTCDate() === date ? [start, start + DAY] : null;
}

/**
 * Return the clock at the end of a text [ms after midnight] and what is before it; null where the clock is none.
 * @param {string} text
 * @returns {{ rest: string, clock: number | null } | null}
 */
function clock_of(text) {
  const at = /(?:^|[ t])(\d{1,2}):(\d{2})$/.exec(text);
  if (at) {
    const [hour, minute] = [Number(at[1]), Number(at[2])];
    if (hour > 23 || minute > 59) return null;
    return { rest: before(text, at.index), clock: hour * HOUR + minute * MINUTE };
  }
  const half = /(?:^| )(\d{1,2}) ?(am|pm)$/.exec(text);
  if (!half) return { rest: text, clock: null };
  const hour = Number(half[1]);
  if (hour < 1 || hour > 12) return null;
  return { rest: before(text, half.index), clock: ((hour % 12) + (half[2] === 'pm' ? 12 : 0)) * HOUR };
}

/**
 * @param {string} text
 * @param {number} index
 */
const before = (text, index) =>
  text
    .slice(0, index)
    .replace(/[ ,]+(at)?$/, '')
    .replace(/^at$/, '')
    .trim();

/**
 * Return the span that a text names: "from" takes its start, "to" its end. Null where the text is not understood;
 * nothing is guessed, and nothing is after now.
 * @param {string} text
 * @param {string} zone
 * @param {number} now
 * @returns {Span | null}
 */
export function parse(text, zone, now) {
  let said = text.trim().toLowerCase().replace(/\s+/g, ' ');
  let where = zone;
  const utc = /(?<=[\d ])(utc|z)$/.exec(said);
  if (utc) {
    where = 'UTC';
    said = said.slice(0, utc.index).trim();
  }
  if (!said) return null;
  if (said === 'now') return [now, now];
  const ago = /^-?(\d+(?:\.\d+)?) ?([a-z]+)(?: ago)?$/.exec(said);
  const unit = ago && LENGTHS.find(([names]) => names.includes(ago[2]));
  if (ago && unit) {
    const then = now - Number(ago[1]) * unit[1];
    return [then, then];
  }
  const read = clock_of(said.replace(/^(\d{4}-\d\d-\d\dt\d\d:\d\d):\d\d(\.\d+)?$/, '$1'));
  const days = read && days_of(read.rest, wall(now, where));
  if (!read || !days) return null;
  if (read.clock === null) {
    const start = instant(days[0], where);
    return start > now ? null : [start, Math.min(instant(days[1], where), now)];
  }
  const shown = days[0] + read.clock;
  const late = read.rest === '' && instant(shown, where) > now; // 23:00 in the morning is yesterday's
  const then = instant(late ? shown - DAY : shown, where);
  return then > now ? null : [then, then];
}
