// @ts-check
// Which racks a filter matches, and the lists of a hall: rooms, rows, places. Only computes.
import { is_partial } from '../core/known_power.js';
import { over } from '../parts/measures.js';

/** @import { RackTile } from '../answers.js' */
/** @import { Measure } from '../parts/measures.js' */

/** @typedef {{ key: string, name: string, racks: RackTile[] }} HallRow */
/** @typedef {{ key: string, name: string, racks: RackTile[], rows: HallRow[] }} Hall */
/** @typedef {{ q: string, state: string, room: string }} Filter */

/** @type {Record<string, string>} */
export const STATES = {
  over: 'over the limit',
  alert: 'with an alert',
  partial: 'known in part',
  lost: 'not responding',
};

/**
 * @param {RackTile} rack
 * @param {Filter} filter
 * @param {Measure} m
 */
export function matches(rack, { q, state, room }, m) {
  if (room && (rack.room ?? '') !== room) return false;
  if (state === 'over' && !(rack.known_w !== null && over(m, rack))) return false;
  if (state === 'alert' && !rack.alerts) return false;
  if (state === 'partial' && !(rack.known_w !== null && is_partial(rack))) return false;
  if (state === 'lost' && rack.known_w !== null) return false;
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [rack.label, rack.key, rack.room_label ?? '', rack.row ? `row ${rack.row}` : ''].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/**
 * @param {RackTile[]} racks
 * @param {(rack: RackTile) => string} key
 * @returns {[string, RackTile[]][]}
 */
function grouped(racks, key) {
  /** @type {Map<string, RackTile[]>} */
  const groups = new Map();
  for (const rack of racks) {
    const found = groups.get(key(rack));
    if (found) found.push(rack);
    else groups.set(key(rack), [rack]);
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
}

/** @param {RackTile} a @param {RackTile} b */
const by_place = (a, b) =>
  (a.position ?? 0) - (b.position ?? 0) || a.label.localeCompare(b.label, 'en', { numeric: true });

/**
 * Return the rooms with their rows; a row is named ROOM/ROW.
 * @param {RackTile[]} racks
 * @returns {Hall[]}
 */
export const halls = (racks) =>
  grouped(racks, (r) => r.room ?? '').map(([key, inside]) => ({
    key,
    name: inside[0].room_label ?? key,
    racks: inside,
    rows: grouped(inside, (r) => r.row ?? '').map(([row, each]) => ({
      key: `${key}/${row}`,
      name: row,
      racks: each.sort(by_place),
    })),
  }));

/**
 * Return the key of the rack an arrow key leads to: along the row, or to the same place of the next row.
 * @param {Hall[]} rooms
 * @param {string} rack
 * @param {string} key  of the keyboard
 */
export function neighbour(rooms, rack, key) {
  const rows = rooms.flatMap((room) => room.rows);
  const row = rows.findIndex(({ racks }) => racks.some((r) => r.key === rack));
  if (row < 0) return null;
  const at = rows[row].racks.findIndex((r) => r.key === rack);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step) return rows[row].racks[at + step]?.key ?? null;
  const next = { ArrowUp: row - 1, ArrowDown: row + 1 }[key];
  const racks = next === undefined ? undefined : rows[next]?.racks;
  return racks ? racks[Math.min(at, racks.length - 1)].key : null;
}
