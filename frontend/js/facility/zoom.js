// @ts-check
// The levels of a large facility: all rooms, one row with its values, one rack with its nodes. Kept in the address as
// `row` and `rack`; arrows move along racks and rows, Enter goes closer, Escape back.
import { read, write } from '../core/address.js';
import { get } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { limit_kw, num, pct, THIN } from '../core/format.js';
import { is_partial, known_kw, least, missing_bar, missing_text, share, together } from '../core/known_power.js';
import { escape, icon, markup } from '../core/markup.js';
import { MEASURES } from '../parts/measures.js';
import { Panel } from '../parts/panel.js';
import { neighbour } from './find.js';
import { age_text, plan_text, rack_link, source_text, tile } from './tile.js';

/** @import { LiveNode, LiveValues, RackTile } from '../answers.js' */
/** @import { Hall, HallRow } from './find.js' */
/** @import { Measure } from '../parts/measures.js' */

/** @type {{ rack: string, nodes: Record<string, LiveNode> } | null} */
let inside = null;

export const selection = () => ({ row: read('row'), rack: read('rack') });

/**
 * @param {Hall[]} rooms
 * @param {string} rack
 */
const row_of = (rooms, rack) =>
  rooms.flatMap((room) => room.rows).find(({ racks }) => racks.some((r) => r.key === rack)) ?? null;

/**
 * @param {Hall} room
 * @param {HallRow} row
 * @param {Measure} m
 */
function paint_row(room, row, m) {
  const panel = $('#row-panel', Panel);
  const power = together(row.racks);
  const missing = missing_text(power);
  const amount = `${is_partial(power) ? 'at least ' : ''}${known_kw(power, 1)}${THIN}kW`;
  const what = power.known_w === null ? 'has no readings' : `draws ${amount}`;
  const place = [row.name && `Row ${row.name}`, room.name && `${row.name ? 'of ' : ''}${room.name}`].filter(Boolean);
  panel.hidden = false;
  panel.ready({ heading: `${place.join(' ') || 'Row'} ${what}${missing ? `; ${missing}` : ''}`, unit: m.short });
  const chosen = read('rack');
  fill(
    $('#row'),
    row.racks.map((rack) => tile(rack, m, { on: rack.key === chosen, level: 'row', focus: true })).join(''),
  );
}

/** @param {[string, LiveNode][]} nodes */
function node_rows(nodes) {
  const top = Math.max(1, ...nodes.map(([, power]) => power.estimate_w ?? power.known_w ?? 0));
  return nodes.map(([key, power]) => {
    const value = `<b>${least(is_partial(power))}${known_kw(power, 2)}</b>`;
    const source = power.source === 'bmc' ? 'BMC' : power.source === 'components' ? 'Σ GPU' : '';
    return markup`
      <li><a class="link" href="/nodes/${encodeURIComponent(key)}">${escape(key)}</a>
      <span class="track"><i style="width:${((power.known_w ?? 0) / top) * 100}%"></i>${missing_bar(power, top)}</span>
      <span class="num">${power.known_w === null ? `${icon('lost', 'warn')} –` : value}
      <small class="mute">${source}</small></span></li>
    `;
  });
}

/** @param {RackTile} rack */
function rack_head(rack) {
  const of = rack.usable_w === null ? null : share(rack, rack.usable_w);
  const at_least = is_partial(rack) ? 'at least ' : '';
  if (rack.known_w === null) return `${rack.label} has no readings`;
  if (of === null) return `${rack.label} draws ${at_least}${known_kw(rack, 1)}${THIN}kW`;
  return `${rack.label} is at ${at_least}${pct(of)} of usable`;
}

/** @param {RackTile} rack */
function paint_rack(rack) {
  const panel = $('#rack-panel', Panel);
  panel.hidden = false;
  panel.ready({ heading: rack_head(rack), unit: 'kW', age: `${age_text(rack)}, ${source_text(rack)}` });
  const usable = rack.usable_w;
  const planned = rack.planning_w ?? usable;
  const plan = usable && planned && planned < usable ? (planned / usable) * 100 : null;
  const bar = usable
    ? markup`
        <span class="track"><i style="width:${Math.min(100, share(rack, usable) ?? 0)}%"></i>
        ${missing_bar(rack, usable)}
        ${plan === null ? '' : `<b style="left:${plan}%"></b>`}</span>
      `
    : '';
  const place = [rack.room_label, rack.row && `row ${rack.row}`].filter(Boolean).map(escape).join(', ');
  const nodes = inside?.rack === rack.key ? node_rows(Object.entries(inside.nodes)).join('') : '';
  const sign = rack.critical ? 'crit' : 'warn';
  const facts = [
    rack.alerts ? `${icon(sign, sign)} ${rack.alerts} active` : '',
    rack.inlet_c === null ? '' : `inlet ${num(rack.inlet_c, 1)}${THIN}°C`,
    rack.imbalance_pct === null ? '' : `imbalance ${num(rack.imbalance_pct, 1)}${THIN}%`,
    escape(plan_text(rack)),
    is_partial(rack) ? `${icon('lost', 'warn')} ${escape(missing_text(rack))}` : '',
  ].filter(Boolean);
  const key = encodeURIComponent(rack.key);
  fill(
    $('#rack'),
    markup`
      <p><b class="mid">${least(is_partial(rack) && rack.known_w !== null)}${known_kw(rack, 1)}</b>
      <span class="soft"> of ${limit_kw(usable)}${THIN}kW · ${place}</span></p>
      ${bar}<p class="soft facts">${facts.join(' · ')}</p>
      <ul class="list nodes" id="rack-nodes">${nodes}</ul>
      <div class="act"><a class="btn" href="${rack_link(rack.key)}">Open rack</a>
      <a class="btn" href="/capacity?rack=${key}">What fits here</a></div>
    `,
  );
  if (inside?.rack !== rack.key) load_nodes(rack);
}

/** @param {RackTile} rack */
async function load_nodes(rack) {
  inside = { rack: rack.key, nodes: {} };
  const answer = await get('/power', { rack: rack.key }).catch(() => null);
  if (!answer || inside?.rack !== rack.key) return;
  inside.nodes = { ...answer.nodes };
  if (read('rack') === rack.key) paint_rack(rack);
}

/**
 * Take live values of the nodes of the selected rack.
 * @param {LiveValues} values
 */
export function update_nodes(values) {
  if (!inside) return;
  for (const key of Object.keys(inside.nodes)) {
    const now = values.nodes?.[key];
    if (now) inside.nodes[key] = now;
  }
}

/**
 * Draw the selected row and rack, or hide them.
 * @param {Hall[]} rooms
 * @param {boolean} large
 * @param {Measure} m
 */
export function paint_zoom(rooms, large, m) {
  const { row, rack } = selection();
  const room = rooms.find((one) => one.rows.some((r) => r.key === row));
  const found = room?.rows.find((r) => r.key === row);
  const chosen = found?.racks.find((r) => r.key === rack);
  $('#row-panel').hidden = !(large && room && found);
  $('#rack-panel').hidden = !(large && chosen);
  if (large && room && found) paint_row(room, found, m);
  if (large && chosen) paint_rack(chosen);
  const level = chosen ? 'rack' : found ? 'row' : 'room';
  for (const button of document.querySelectorAll('#level button'))
    button.setAttribute('aria-pressed', String(button.getAttribute('data-level') === level));
}

/**
 * @param {() => Hall[]} rooms
 * @param {() => boolean} large
 * @param {() => string} leader  the rack that a level shows where none is selected
 * @param {() => void} paint
 */
export function listen_zoom(rooms, large, leader, paint) {
  /** @param {string | null} rack @param {string | null} [row] */
  const select = (rack, row = rack && (row_of(rooms(), rack)?.key ?? null)) => {
    write({ rack, row });
    paint();
  };
  /** @param {MouseEvent} event */
  const clicked = (event) => {
    const target = /** @type {Element} */ (event.target);
    const row = /** @type {HTMLElement | null} */ (target.closest('[data-row]'));
    if (row) select(null, row.dataset.row);
    const tile = /** @type {HTMLElement | null} */ (target.closest('[data-rack]'));
    if (!tile || !large() || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (tile.dataset.rack === read('rack')) return; // a second time opens its page
    event.preventDefault();
    select(tile.dataset.rack ?? null);
    /** @type {HTMLElement | null} */ (
      document.querySelector(`#${tile.closest('[id]')?.id} [data-rack="${CSS.escape(tile.dataset.rack ?? '')}"]`)
    )?.focus();
  };
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    const at = /** @type {HTMLElement} */ (event.target).closest('[data-rack]');
    const to = at && large() ? neighbour(rooms(), at.getAttribute('data-rack') ?? '', event.key) : null;
    if (!at || !to) return;
    event.preventDefault();
    const place = at.closest('[id]')?.id;
    if (read('rack')) select(to);
    /** @type {HTMLElement | null} */ (
      document.querySelector(`#${place} [data-rack="${CSS.escape(to)}"]`) ??
        document.querySelector(`#hall [data-rack="${CSS.escape(to)}"]`)
    )?.focus();
  };
  for (const id of ['#hall', '#row']) {
    $(id).addEventListener('click', clicked);
    $(id).addEventListener('keydown', pressed);
  }
  addEventListener('keydown', (event) => {
    const typing = /** @type {Element} */ (event.target).closest?.('input, select, textarea, [role="menu"], dialog');
    if (event.key !== 'Escape' || typing || event.defaultPrevented || !large()) return;
    const { row, rack } = selection();
    if (rack) select(null, row);
    else if (row) select(null, null);
  });
  $('#level').addEventListener('click', ({ target }) => {
    const to = /** @type {Element} */ (target).closest('button')?.dataset.level;
    const { row, rack } = selection();
    const of_leader = row_of(rooms(), leader())?.key ?? rooms()[0]?.rows[0]?.key ?? null;
    if (to === 'room') select(null, null);
    if (to === 'row') select(null, row || of_leader);
    if (to === 'rack' && !rack) select(row_in(rooms(), row, leader()));
  });
}

/**
 * @param {Hall[]} rooms
 * @param {string} row
 * @param {string} leader
 */
function row_in(rooms, row, leader) {
  const found = rooms.flatMap((room) => room.rows).find((r) => r.key === row);
  if (!found || found.racks.some((r) => r.key === leader)) return leader;
  const load = (/** @type {RackTile} */ r) => MEASURES.load.at(r) ?? 0;
  return [...found.racks].sort((a, b) => load(b) - load(a))[0]?.key ?? leader;
}
