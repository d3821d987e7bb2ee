// @ts-check
// The series of Explore: how the address names them, where their curves are, and what two of them give together. Pure.
//   ?s=rack/r07&s=room/hall-1&s=node/hgx-01&s=device/pdu-r07-a/outlet/7:current

/**
 * @typedef {object} SeriesKey
 * @property {'rack' | 'room' | 'site' | 'node' | 'device'} kind
 * @property {string} key
 * @property {string} point  of a device
 * @property {string} quantity
 */

/** @typedef {'none' | 'ratio' | 'inverse' | 'sum' | 'difference'} Combination */

export const MOST = 6;
const COLORS = ['@power', '@gpu', '@load', '@aux', '@ink-2', '@s2'];
const PLURAL = { rack: 'racks', room: 'rooms', site: 'sites', node: 'nodes', device: 'devices' };

/** @param {number} i */
export const color = (i) => COLORS[i % COLORS.length];
/** @param {number} i */
export const letter = (i) => String.fromCharCode(65 + i);

/**
 * @param {string} text
 * @returns {SeriesKey | null}
 */
export function read_series(text) {
  const [kind, key, ...rest] = text.split('/');
  if (!key || !(kind in PLURAL)) return null;
  const known = /** @type {SeriesKey['kind']} */ (kind);
  if (known !== 'device') return rest.length ? null : { kind: known, key, point: '', quantity: 'power' };
  const [point, quantity = 'power'] = rest.join('/').split(':');
  return point ? { kind: known, key, point, quantity } : null;
}

/** @param {SeriesKey} series */
export const write_series = ({ kind, key, point, quantity }) =>
  kind === 'device' ? `device/${key}/${point}:${quantity}` : `${kind}/${key}`;

/** @param {SeriesKey} series */
export const name_of = ({ kind, key, point, quantity }) => {
  if (kind === 'device')
    return `${key} ${point.replaceAll('/', ' ')}${quantity === 'power' ? '' : ` ${quantity.replaceAll('_', ' ')}`}`;
  return kind === 'node' || kind === 'rack' ? key : `${kind} ${key}`;
};

/**
 * Return the path of a curve below the API, and its own parameters.
 * @param {SeriesKey} series
 * @returns {[path: string, params: Record<string, string>]}
 */
export function request_of({ kind, key, point, quantity }, format = '') {
  const path = `/${PLURAL[kind]}/${encodeURIComponent(key)}/curve${format && `.${format}`}`;
  return [path, kind === 'device' ? { point, quantity } : {}];
}

/** @param {SeriesKey} series */
export const page_of = ({ kind, key }) =>
  kind === 'room' || kind === 'site' ? '/' : `/${PLURAL[kind]}/${encodeURIComponent(key)}`;

/** @typedef {{ t: number[], v: (number | null)[] }} Points */

/**
 * Return the value of a curve at a time; null in a gap and outside.
 * @param {Points} curve
 * @param {number} at
 */
export function value_at({ t, v }, at) {
  let [low, high] = [0, t.length - 1];
  if (high < 0 || at < t[0] || at > t[high]) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle] <= at) low = middle;
    else high = middle;
  }
  if (t[low] === at) return v[low];
  if (t[high] === at) return v[high];
  const [a, b] = [v[low], v[high]];
  if (a === null || b === null) return null;
  return a + ((b - a) * (at - t[low])) / (t[high] - t[low]);
}

/** @type {Record<Combination, (a: number, b: number) => number | null>} */
const COMBINED = {
  none: () => null,
  ratio: (a, b) => (b === 0 ? null : (100 * a) / b),
  inverse: (a, b) => (a === 0 ? null : (100 * b) / a),
  sum: (a, b) => a + b,
  difference: (a, b) => a - b,
};

/**
 * Return A ÷ B in percent, A + B or A − B where both are covered; a gap of either is a gap.
 * @param {Points} a
 * @param {Points} b
 * @param {Combination} how
 * @returns {Points}
 */
export function combined(a, b, how) {
  const times = [...new Set([...a.t, ...b.t])].sort((x, y) => x - y);
  const v = times.map((at) => {
    const [x, y] = [value_at(a, at), value_at(b, at)];
    return x === null || y === null ? null : COMBINED[how](x, y);
  });
  return { t: times, v };
}

/**
 * Return what two units allow: a ratio of equal units, a sum of quantities that add up.
 * @param {string} a
 * @param {string} b
 * @returns {Combination[]}
 */
export function combinations(a, b) {
  if (a !== b) return ['none'];
  return ['W', 'VA', 'var', 'J'].includes(a)
    ? ['none', 'ratio', 'inverse', 'sum', 'difference']
    : ['none', 'ratio', 'inverse', 'difference'];
}
