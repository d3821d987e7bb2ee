// @ts-check
// The planner's table: one row a rack, or one a room, row of racks, feed or PDU. Only computes; pages draw.
//
// Stranded: what of the limit remains, less the margin, after adding as many nodes as fit: another limit binds.
import { csv } from '../core/export.js';

/** @import { CapacityPdu, CapacityRack, HeadroomRow, PeakTrend, RackFitLine } from '../answers.js' */

/**
 * A row. Power in W, currents in A; null is unknown.
 * @typedef {object} Row
 * @property {string} key
 * @property {string} label
 * @property {string} place
 * @property {string} href  '' where it has no page
 * @property {'W' | 'A'} unit
 * @property {number | null} rated
 * @property {number | null} budget
 * @property {number | null} max
 * @property {string | number | null} max_at
 * @property {number | null} p99
 * @property {number | null} limit  less the margin
 * @property {number | null} full
 * @property {number | null} share  of the limit at the maximum, 0…1 and above
 * @property {number | null} fits
 * @property {string} binds
 * @property {number | null} stranded
 * @property {boolean} partial
 * @property {string} why  why it is not evaluated
 * @property {boolean} nodes_only  loads beside the nodes are not known
 * @property {number | null} trend  by how much the daily maximum of the power changes in 30 days [W]
 * @property {(number | null)[]} daily  maximum of the power of each of the last 30 days [W]
 */

/** @param {number | null} a @param {number | null} b */
const ratio = (a, b) => (a === null || !b ? null : a / b);

/**
 * @param {RackFitLine | undefined} answer
 * @returns {Pick<Row, 'fits' | 'binds' | 'stranded' | 'why' | 'nodes_only'>}
 */
const of_answer = (answer) => ({
  fits: answer?.additional_nodes ?? null,
  binds: answer?.binds ?? '',
  stranded: answer?.stranded_w ?? null,
  why: answer?.why ?? '',
  nodes_only: answer?.nodes_only ?? false,
});

/**
 * @param {Pick<PeakTrend, 'trend_w' | 'daily_max_w'> | undefined} peaks
 * @returns {Pick<Row, 'trend' | 'daily'>}
 */
const of_trend = (peaks) => ({ trend: peaks?.trend_w ?? null, daily: peaks?.daily_max_w ?? [] });

/**
 * @param {CapacityRack} rack
 * @param {RackFitLine | undefined} answer
 * @param {number} margin_pct
 * @returns {Row}
 */
export function rack_row(rack, answer, margin_pct) {
  const limit = rack.capacity_w === null ? null : rack.capacity_w * (1 - margin_pct / 100);
  return {
    key: rack.key,
    label: rack.label,
    place: [rack.room, rack.row && `row ${rack.row}`, rack.model].filter(Boolean).join(' · '),
    href: `/racks/${encodeURIComponent(rack.key)}`,
    unit: 'W',
    rated: rack.rated_w,
    budget: rack.budget_w,
    max: rack.observed_w.max,
    max_at: rack.max_at,
    p99: rack.observed_w.p99,
    limit,
    full: rack.capacity_w,
    share: ratio(rack.observed_w.max, limit),
    partial: rack.is_partial,
    ...of_trend(rack),
    ...of_answer(answer),
  };
}

/**
 * @param {CapacityPdu} pdu
 * @param {number} margin_pct
 * @returns {Row}
 */
export function pdu_row(pdu, margin_pct) {
  const limit = pdu.limit_a === null ? null : pdu.limit_a * (1 - margin_pct / 100);
  return {
    key: pdu.key,
    label: pdu.label,
    place: [pdu.rack_label, pdu.feed && `feed ${pdu.feed}`].filter(Boolean).join(' · '),
    href: `/devices/${encodeURIComponent(pdu.key)}`,
    unit: 'A',
    rated: null,
    budget: null,
    max: pdu.observed_a.max,
    max_at: pdu.max_at,
    p99: pdu.observed_a.p99,
    limit,
    full: pdu.limit_a,
    share: ratio(pdu.observed_a.max, limit),
    partial: pdu.is_partial,
    fits: null,
    binds: '',
    stranded: null,
    why: '',
    nodes_only: false,
    ...of_trend(pdu),
  };
}

/**
 * A room or a row of racks: its own maximum, which is at one moment, and the sums of its racks.
 * @param {HeadroomRow} row
 * @param {Row[]} racks
 * @param {PeakTrend | undefined} peaks
 * @returns {Row}
 */
export function place_row(row, racks, peaks) {
  const limit = sum(racks.map((one) => one.limit));
  const [fits, stranded] = [sum(racks.map((one) => one.fits)), sum(racks.map((one) => one.stranded))];
  return {
    key: row.key,
    label: row.label,
    place: `${racks.length} ${racks.length === 1 ? 'rack' : 'racks'}`,
    href: '',
    unit: 'W',
    rated: sum(racks.map((one) => one.rated)),
    budget: sum(racks.map((one) => one.budget)),
    max: row.observed_w.max,
    max_at: row.max_at,
    p99: row.observed_w.p99,
    limit,
    full: row.usable_w,
    share: ratio(row.observed_w.max, limit),
    partial: racks.some((one) => one.partial),
    fits,
    binds: '',
    stranded,
    why: '',
    nodes_only: racks.some((one) => one.nodes_only),
    ...of_trend(peaks),
  };
}

/**
 * @param {HeadroomRow} row
 * @param {number} margin_pct
 * @param {PeakTrend | undefined} peaks
 * @returns {Row}
 */
export function feed_row(row, margin_pct, peaks) {
  const limit = row.limit_a === null ? null : row.limit_a * (1 - margin_pct / 100);
  const max = row.observed_a.max;
  return {
    key: row.key,
    label: row.label,
    place: 'its fullest line',
    href: '',
    unit: 'A',
    rated: null,
    budget: null,
    max,
    max_at: row.max_at,
    p99: row.observed_a.p99,
    limit,
    full: row.limit_a,
    share: ratio(max, limit),
    partial: false,
    fits: null,
    binds: '',
    stranded: null,
    why: '',
    nodes_only: false,
    ...of_trend(peaks),
  };
}

/**
 * Return the sum; null unless there are parts and all are known.
 * @param {(number | null)[]} parts
 */
export function sum(parts) {
  let total = parts.length ? 0 : null;
  for (const part of parts) total = total === null || part === null ? null : total + part;
  return total;
}

/**
 * Return the rows in order; what is unknown comes last either way.
 * @param {Row[]} rows
 * @param {keyof Row} key
 * @param {boolean} falling
 */
export function sorted(rows, key, falling) {
  const turn = falling ? -1 : 1;
  /** @param {Row} row */
  const missing = (row) => row[key] === null || row[key] === '';
  return [...rows].sort((a, b) => {
    if (missing(a) || missing(b)) return Number(missing(a)) - Number(missing(b));
    const [x, y] = [a[key], b[key]];
    if (typeof x === 'number' && typeof y === 'number') return (x - y) * turn;
    return String(x).localeCompare(String(y), undefined, { numeric: true }) * turn;
  });
}

/**
 * Return stranded power by what binds, most first.
 * @param {Row[]} rows
 */
export function stranded_by(rows) {
  /** @type {Map<string, { binds: string, watts: number, racks: number }>} */
  const found = new Map();
  for (const { binds, stranded } of rows) {
    if (!binds || !stranded) continue;
    const name = binds.replace(/ on feed .*/, '');
    const one = found.get(name) ?? { binds: name, watts: 0, racks: 0 };
    found.set(name, { binds: name, watts: one.watts + stranded, racks: one.racks + 1 });
  }
  return [...found.values()].sort((a, b) => b.watts - a.watts);
}

/**
 * Return the rows as CSV, unit in the names of the columns.
 * @param {Row[]} rows
 */
export function planner_csv(rows) {
  const unit = rows[0]?.unit ?? 'W';
  const suffix = unit === 'W' ? '_w' : '_a';
  return csv({
    columns: [
      'key',
      'label',
      'place',
      `rated${suffix}`,
      `budget${suffix}`,
      `observed_max${suffix}`,
      'max_at',
      `observed_p99${suffix}`,
      `limit_less_margin${suffix}`,
      `limit${suffix}`,
      'max_of_limit_pct',
      'additional_nodes',
      'binds',
      `stranded${suffix}`,
      'is_lower_bound',
      'not_evaluated',
      'trend_w_in_30_d',
      'nodes_only',
    ],
    rows: rows.map((r) => [
      r.key,
      r.label,
      r.place,
      r.rated,
      r.budget,
      r.max,
      r.max_at,
      r.p99,
      r.limit,
      r.full,
      r.share === null ? null : r.share * 100,
      r.fits,
      r.binds,
      r.stranded,
      String(r.partial),
      r.why,
      r.trend,
      String(r.nodes_only),
    ]),
  });
}
