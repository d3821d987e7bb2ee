// @ts-check
// What a rack's tile can show. In every colour ramp, more ink means more urgent; a value over the limit adds a frame
// and a sign.

import { limit_kw, num, span, THIN } from '../core/format.js';
import { age_s } from '../core/live.js';
import { bound, is_partial, known_kw, places, share } from '../core/known_power.js';

/** @import { RackTile } from '../answers.js' */

/**
 * @typedef {object} Measure
 * @property {string} name
 * @property {string} label
 * @property {string} unit
 * @property {string} basis  what the colours mean
 * @property {string} short  the unit in the ranking
 * @property {boolean} [falling]  a smaller value is worse
 * @property {string} absent
 * @property {string} limit
 * @property {(rack: RackTile) => number | null} value
 * @property {(rack: RackTile) => number | null} at  compared with `steps`
 * @property {[number, number, number, number, number]} steps  the bounds of the six colours; the last is the limit
 * @property {(rack: RackTile) => number} bar  width of the ranking's bar [%]
 * @property {number} mark  the limit on that bar [%]
 * @property {(rack: RackTile) => boolean} partial  whether a missing part may make it worse
 * @property {string} atleast  the words before a value of which a part is missing
 * @property {(value: number) => string} text
 * @property {(rack: RackTile) => string} of
 */

/** @param {RackTile} r */
const of_usable = (r) =>
  r.usable_w === null ? `${bound(r)}${THIN}kW` : `${known_kw(r, 1)} of ${limit_kw(r.usable_w)}${THIN}kW`;
/** @param {RackTile} r */
const load = (r) => (r.usable_w === null ? null : share(r, r.usable_w));
/** @param {RackTile} r */
const room_kw = (r) => (r.usable_w === null || r.known_w === null ? null : (r.usable_w - r.known_w) / 1000);
/** @param {RackTile} r */
const left = (r) => (r.usable_w === null || r.known_w === null ? null : 100 - (r.known_w / r.usable_w) * 100);
/** @param {RackTile} r */
const age = (r) => (r.t === null ? null : Math.max(0, age_s(r.t)));
/** @param {RackTile} r */
const polls = (r) => (r.t === null ? null : Math.max(0, age_s(r.t)) / (r.interval_s ?? 10));

/** @type {Record<string, Measure>} */
export const MEASURES = {
  load: {
    name: 'load',
    label: 'Load',
    unit: '%',
    basis: '% of usable',
    short: '% of usable',
    absent: 'no usable capacity declared',
    limit: 'over 80 %',
    value: load,
    at: load,
    steps: [30, 45, 55, 65, 80],
    mark: 80,
    bar: (r) => load(r) ?? 0,
    partial: is_partial,
    atleast: 'at least ',
    text: (v) => num(v),
    of: of_usable,
  },
  headroom: {
    name: 'headroom',
    label: 'Headroom',
    unit: 'kW',
    basis: 'kW to usable, coloured by % of usable left',
    short: 'kW to usable',
    falling: true,
    absent: 'no usable capacity declared',
    limit: 'under 20 % left',
    value: room_kw,
    at: left,
    steps: [70, 55, 45, 35, 20],
    bar: (r) => left(r) ?? 0,
    partial: is_partial,
    atleast: 'at most ',
    mark: 20,
    text: (v) => num(v, 1),
    of: (r) => `of ${limit_kw(r.usable_w)}${THIN}kW`,
  },
  imbalance: {
    name: 'imbalance',
    label: 'Phase imbalance',
    unit: '%',
    basis: '% of the mean line current, worst feed',
    short: '% of mean line current',
    absent: 'no line currents',
    limit: 'over 15 %',
    value: (r) => r.imbalance_pct,
    at: (r) => r.imbalance_pct,
    steps: [3, 5, 8, 11, 15],
    bar: (r) => (r.imbalance_pct ?? 0) * 4,
    partial: (r) => r.lines_missing.length > 0,
    atleast: 'at least ',
    mark: 60,
    text: (v) => num(v, 1),
    of: of_usable,
  },
  inlet: {
    name: 'inlet',
    label: 'Inlet temp',
    unit: '°C',
    basis: '°C, warmest probe',
    short: '°C',
    absent: 'no inlet probe',
    limit: 'over 27 °C',
    value: (r) => r.inlet_c,
    at: (r) => r.inlet_c,
    steps: [21, 22, 23.5, 25, 27],
    bar: (r) => ((r.inlet_c ?? 15) - 15) * 6,
    partial: (r) => r.probes_missing,
    atleast: 'at least ',
    mark: 72,
    text: (v) => num(v, 1),
    of: of_usable,
  },
  age: {
    name: 'age',
    label: 'Data age',
    unit: 's',
    basis: 'coloured by missed polls',
    short: 'since the last reading',
    absent: 'no readings so far',
    limit: 'over 3 polls',
    value: age,
    at: polls,
    steps: [1.2, 1.5, 2, 2.5, 3],
    bar: (r) => (polls(r) ?? 0) * 25,
    partial: () => false,
    atleast: '',
    mark: 75,
    text: (v) => (v < 100 ? num(v) : span(v).split(THIN)[0]),
    of: (r) => `poll every ${num(r.interval_s ?? 10)}${THIN}s`,
  },
};
export const NAMES = Object.fromEntries(Object.values(MEASURES).map((m) => [m.name, m.label]));

/**
 * @param {Measure} m
 * @param {RackTile} rack
 * @param {number} bound
 */
function reached(m, rack, bound) {
  const at = m.at(rack);
  return at !== null && (m.falling ? at <= bound : at >= bound);
}

/**
 * Return the colour of a rack, 0…5.
 * @param {Measure} m
 * @param {RackTile} rack
 */
export const step = (m, rack) => m.steps.filter((bound) => reached(m, rack, bound)).length;

/**
 * @param {Measure} m
 * @param {RackTile} rack
 */
export const over = (m, rack) => reached(m, rack, m.steps[4]);

/**
 * Return the racks that have a value, the worst first.
 * @param {Measure} m
 * @param {RackTile[]} racks
 */
export const ranked = (m, racks) =>
  racks
    .filter((r) => m.value(r) !== null && (r.known_w !== null || m.name === 'age'))
    .sort((a, b) => ((m.at(b) ?? 0) - (m.at(a) ?? 0)) * (m.falling ? -1 : 1));

/**
 * Return the place of each ranked rack: a range where a missing part may change the order.
 * @param {Measure} m
 * @param {RackTile[]} racks  as `ranked` returns them
 */
export const ranks = (m, racks) =>
  places(racks.map((r) => ({ low: (m.at(r) ?? 0) * (m.falling ? -1 : 1), partial: m.partial(r) })));
