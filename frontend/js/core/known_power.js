// @ts-check
// A power that is known in part: what is known, what is missing by name, and its last value with the time.
// app/presentation/text/known_power.py follows the same rules.
import { limit_kw, moment, num, pct, span, THIN } from './format.js';
import { now_ms } from './live.js';
import { escape, icon, markup } from './markup.js';

/** @import { KnownPower, NodeSource, SumPower } from '../answers.js' */

/** @type {Record<string, string>} */
const SOURCES = { pdu: 'wall', meter: 'wall', bmc: 'BMC', components: 'Σ GPU' };

/** @param {{ missing: { count: number } }} power */
export const is_partial = (power) => power.missing.count > 0;

/**
 * Return a number rounded down, as a lower bound is.
 * @param {number} x
 */
export const floored = (x, digits = 0) => num(Math.floor(x * 10 ** digits + 1e-6) / 10 ** digits, digits);

/** @param {number | null} watts */
const digits = (watts) => (watts !== null && Math.abs(watts) < 1000 ? 2 : 1);

const FIELDS = /** @type {const} */ ([
  'power_w',
  't',
  'known_w',
  'missing',
  'last_known_w',
  'last_known_t',
  'estimate_w',
  'derived_s',
  'source',
  'instead_of',
  'other_w',
]);

/**
 * Copy a power of the live stream over one on the page; return whether what is missing has changed.
 * @param {KnownPower} to
 * @param {KnownPower} from
 */
export function update_power(to, from) {
  const before = to.missing.keys.join();
  for (const name of FIELDS) if (name in from) Object.assign(to, { [name]: /** @type {any} */ (from)[name] });
  return before !== to.missing.keys.join();
}

/**
 * Return kW without the unit; a lower bound is rounded down.
 * @param {KnownPower} power
 */
export function known_kw(power, decimals = digits(power.known_w)) {
  if (power.known_w === null || !is_partial(power))
    return num(power.known_w === null ? null : power.known_w / 1000, decimals);
  return floored(power.known_w / 1000, decimals);
}

/**
 * Return `≥ ` before a number of which a part is missing.
 * @param {boolean} partial
 */
export const least = (partial) => (partial ? '≥\u202f' : '');

/** @param {KnownPower} power */
export const bound = (power) => `${least(is_partial(power) && power.known_w !== null)}${known_kw(power)}`;

/**
 * Return the share of a limit [%]; a lower bound is rounded down.
 * @param {KnownPower} power
 * @param {number} limit_w
 */
export function share(power, limit_w) {
  if (power.known_w === null) return null;
  const value = (power.known_w / limit_w) * 100;
  return is_partial(power) ? Math.floor(value + 1e-9) : value;
}

/** @param {string} key */
const kind = (key) => {
  const point = key.split('/').slice(1).join('/');
  return point === '' ? 'device' : ['wall', 'rest', 'unread'].includes(point) ? point : 'point';
};

/** @param {string} key */
const named = (key) => (kind(key) === 'point' ? key.replaceAll('/', ' ') : key.split('/')[0]);

/** @type {Record<string, (listed: string) => string>} */
const WORDS = {
  device: (listed) => `${listed} not responding`,
  wall: (listed) => `${listed} not metered`,
  rest: (listed) => `only components of ${listed} measured`,
  point: (listed) => `no reading from ${listed}`,
  unread: (listed) => `${listed} cannot be read`,
};

/** @param {KnownPower['missing']} missing */
export function missing_names({ count, keys }) {
  if (!keys.length) return '';
  const kinds = new Set(keys.map(kind));
  const labels = keys.map(named);
  const listed = count > 2 ? `${labels.slice(0, 2).join(', ')} and ${count - 2} more` : labels.join(' and ');
  const words = kinds.size === 1 ? WORDS[[...kinds][0]] : undefined;
  return words ? words(listed) : `${listed} missing`;
}

/**
 * Return what is missing and its last value: `pdu-r07-e not responding (4.6 kW at 06:18)`.
 * @param {KnownPower} power
 */
export function missing_text(power) {
  const words = missing_names(power.missing);
  if (!words || power.last_known_w === null || power.last_known_t === null) return words;
  const last = num(power.last_known_w / 1000, digits(power.last_known_w));
  return `${words} (${last}${THIN}kW at ${moment(power.last_known_t, now_ms())})`;
}

/** @param {KnownPower} power */
export const missing_line = (power) =>
  is_partial(power) ? `${icon('lost', 'warn')} <span>${escape(missing_text(power))}</span>` : '';

/**
 * Return the share with the last values: `38 % with 06:18`.
 * @param {KnownPower} power
 * @param {number} limit_w
 */
export function estimated(power, limit_w) {
  if (!is_partial(power) || power.estimate_w === null || power.last_known_t === null) return '';
  return `${pct((power.estimate_w / limit_w) * 100)} with ${moment(power.last_known_t, now_ms())}`;
}

/**
 * Return the hatched part of a bar: the last value of what is missing.
 * @param {KnownPower} power
 * @param {number} scale_w
 */
export function missing_bar(power, scale_w) {
  if (!is_partial(power) || power.last_known_w === null) return '';
  const left = Math.min(100, ((power.known_w ?? 0) / scale_w) * 100);
  const width = Math.min(100 - left, (power.last_known_w / scale_w) * 100);
  return `<i class="miss" style="left:${left}%;width:${width}%"></i>`;
}

/**
 * Return what a power is where it comes from energy registers: `mean of 50 s`.
 * @param {{ derived_s?: number | null }} power
 */
export const derived_text = ({ derived_s }) => (derived_s ? `mean of ${span(derived_s)}` : '');

/**
 * Return a tag where another source than the usual one measures a node, only its components are measured, or its power
 * comes from energy registers.
 * @param {NodeSource & { derived_s?: number | null }} node
 */
export function source_tag({ source, instead_of, derived_s }) {
  const mean = derived_text({ derived_s });
  if (mean && !instead_of)
    return `<span class="tag" title="from an energy register; the meter reports no power">${mean}</span>`;
  if (!source || (!instead_of && source !== 'components')) return '';
  const title = instead_of ? `${SOURCES[source]}, not the ${SOURCES[instead_of]}` : 'only its components are measured';
  return `<span class="tag" title="${title}">${SOURCES[source]}</span>`;
}

/**
 * Return whether a node's power may be compared with its rating: measured by its usual source, as a whole.
 * @param {NodeSource} node
 */
export const is_comparable = ({ source, instead_of }) => !instead_of && source !== 'components';

/**
 * Return the sum of powers; a key that is missing in several counts once.
 * @param {KnownPower[]} parts
 * @returns {KnownPower}
 */
export function together(parts) {
  const each = parts.filter((p) => p.known_w !== null || is_partial(p));
  const keys = [...new Set(each.flatMap((p) => p.missing.keys))].sort();
  const listed = each.reduce((n, p) => n + p.missing.keys.length, 0);
  const unlisted = each.reduce((n, p) => n + p.missing.count, 0) - listed;
  const known = sum(each.map((p) => p.known_w));
  const count = keys.length + unlisted;
  const lasts = each.flatMap((p) => (p.last_known_w === null || p.last_known_t === null ? [] : p.last_known_t));
  return {
    power_w: count ? null : known,
    known_w: known,
    t: each.map((p) => p.t).reduce(earlier, null),
    missing: { count, keys },
    last_known_w: sum(each.map((p) => p.last_known_w)),
    last_known_t: lasts.reduce(earlier, null),
    estimate_w: each.some((p) => p.estimate_w === null) ? null : sum(each.map((p) => p.estimate_w)),
    derived_s: Math.max(0, ...each.map((p) => p.derived_s ?? 0)) || null,
  };
}

/** @param {(number | null)[]} values */
function sum(values) {
  const known = values.filter((x) => x !== null);
  return known.length ? known.reduce((a, b) => a + b, 0) : null;
}

/**
 * @param {KnownPower['t']} a
 * @param {KnownPower['t']} b
 */
const earlier = (a, b) => (a === null ? b : b === null ? a : new Date(b) < new Date(a) ? b : a);

/**
 * Return the line under a power: of what it is a share, and what is missing.
 * @param {KnownPower & Partial<SumPower>} power
 * @param {number | null} usable_w
 */
export function of_usable(power, usable_w) {
  const mean = derived_text(power);
  if (usable_w === null) return mean;
  const of = share(power, usable_w);
  const words = of === null ? '' : ` · ${is_partial(power) ? 'at least ' : ''}${pct(of)}`;
  const more = estimated(power, usable_w);
  return `of ${limit_kw(usable_w)}${THIN}kW usable${words}${more ? ` (${more})` : ''}${mean ? ` · ${mean}` : ''}`;
}

/**
 * Return the place of each in a ranking, the highest first; a range where a missing part may change the order.
 * @param {{ low: number, partial: boolean }[]} items  `low`: the value, or a lower bound of it
 */
export const places = (items) =>
  items.map((item, i) => {
    const above = items.filter((other, k) => k !== i && other.low > item.low);
    const best = item.partial ? 1 : 1 + above.length;
    const worst = 1 + items.filter((other, k) => k !== i && (other.low > item.low || other.partial)).length;
    return best === worst ? `${best}` : `${best}–${worst}`;
  });

/**
 * Return a list of what cannot be said, or nothing.
 * @param {string} text
 */
export const undecided = (text) => {
  if (!text) return '';
  const [first, ...rest] = text.split('. ');
  const more = rest.length ? ` ${escape(rest.join('. '))}` : '';
  return markup`${icon('lost', 'warn')}<span><b>${escape(first)}${rest.length ? '.' : ''}</b>${more}</span>`;
};
