// @ts-check
// The halls as rows of tiles. Only what has changed is written, so that focus and selection stay.
import { $, fill, keep_focus } from '../core/dom.js';
import { count, limit_kw, pct, THIN } from '../core/format.js';
import { is_partial, known_kw, least, missing_bar, missing_text, share, together } from '../core/known_power.js';
import { escape, icon, markup } from '../core/markup.js';
import { over } from '../parts/measures.js';
import { room_link } from '../parts/site_curve.js';
import { tile } from './tile.js';

/** @import { RackTile } from '../answers.js' */
/** @import { Measure } from '../parts/measures.js' */
/** @import { Hall, HallRow } from './find.js' */

const ROOMY = 8; // racks in the longest row up to which tiles are large
/** @typedef {{ m: Measure, rack: string, row: string, shows: (rack: RackTile) => boolean }} Look */

/** @param {Hall[]} rooms */
export const longest_row = (rooms) => Math.max(0, ...rooms.flatMap(({ rows }) => rows.map((row) => row.racks.length)));

/** @param {Hall[]} rooms */
export const is_large = (rooms) => longest_row(rooms) > ROOMY;

/** @param {(number | null)[]} values */
const total = (values) =>
  values.some((v) => v === null) ? null : values.reduce((/** @type {number} */ a, v) => a + (v ?? 0), 0);

/**
 * Return the line above a hall: its power, its share of the usable power with the planning limit, what is over.
 * @param {Hall} room
 * @param {Measure} m
 * @param {boolean} wide
 */
function head({ key, name, racks }, m, wide) {
  const power = together(racks);
  const usable = total(racks.map((r) => r.usable_w));
  const plan = total(racks.map((r) => r.planning_w));
  const amount = power.known_w === null ? '–' : `${is_partial(power) ? 'at least ' : ''}<b>${known_kw(power, 1)}</b>`;
  const label = room_link(key, name);
  const said = `${label}${label ? ' · ' : ''}${amount}${THIN}kW`;
  if (!wide || !usable) return `<h3 title="${escape(missing_text(power))}">${said}</h3>`;
  const of = share(power, usable);
  const tick = plan === null || plan === usable ? '' : `<b style="left:${(plan / usable) * 100}%"></b>`;
  const flagged = racks.filter((r) => r.known_w !== null && over(m, r)).length;
  const open = racks.filter((r) => m.partial(r) || r.known_w === null).length;
  const alerts = racks.reduce((n, r) => n + r.alerts, 0);
  const counts = [
    flagged ? `<span class="nb">${icon('warn', 'warn')} ${flagged} ${escape(m.limit)}</span>` : '',
    alerts ? `<span class="nb">${alerts} alert${alerts === 1 ? '' : 's'}</span>` : '',
    open ? `<span class="nb">${icon('lost', 'warn')} ${open} not decided</span>` : '',
  ].filter(Boolean);
  return markup`
    <h3 title="${escape(missing_text(power))}"><span>${said}</span><span class="track">
    <i style="width:${Math.min(100, of ?? 0)}%"></i>${missing_bar(power, usable)}${tick}</span>
    <span class="num">${least(is_partial(power))}${pct(of)} of ${limit_kw(usable)}${THIN}kW</span></h3>
    <p class="counts">${count(racks.length, 'rack')}${counts.length ? ` · ${counts.join(' · ')}` : ''}</p>
  `;
}

/**
 * @param {HallRow} row
 * @param {boolean} large
 */
function row_shell({ key, name, racks }, large) {
  const title = `title="Show row ${escape(name)}"`;
  const label = large
    ? `<button type="button" class="rl" data-row="${escape(key)}" ${title}>${escape(name || '–')}</button>`
    : `<span class="rl">${escape(name)}</span>`;
  const slots = racks.map((r) => `<i data-slot="${escape(r.key)}"></i>`);
  return `<div class="hrow" data-of="${escape(key)}">${label}${slots.join('')}</div>`;
}

/** @type {Map<string, string>} */
let written = new Map();
let structure = '';

/**
 * @param {HTMLElement} hall
 * @param {Hall[]} rooms
 * @param {Look} look
 */
export function paint_hall(hall, rooms, look) {
  const large = is_large(rooms);
  const now = JSON.stringify(rooms.map((room) => [room.key, room.rows.map((row) => row.racks.map((r) => r.key))]));
  if (now !== structure) {
    structure = now;
    written = new Map();
    hall.classList.toggle('roomy', !large);
    hall.classList.toggle('cells', large);
    hall.classList.toggle('one', rooms.length === 1);
    hall.style.setProperty('--columns', String(longest_row(rooms)));
    fill(
      hall,
      rooms
        .map(
          (room) => markup`
            <section data-room="${escape(room.key)}"><div class="rh"></div>
            <div class="hrows">${room.rows.map((row) => row_shell(row, large)).join('')}</div></section>
          `,
        )
        .join(''),
    );
  }
  rooms.forEach((room) => {
    const html = rooms.length > 1 || room.name ? head(room, look.m, large) : '';
    if (changed(`room ${room.key}`, html))
      fill($(`[data-room="${CSS.escape(room.key)}"] > .rh`, HTMLElement, hall), html);
  });
  const first = look.rack || rooms[0]?.rows[0]?.racks[0]?.key;
  keep_focus(hall, () => {
    for (const rack of rooms.flatMap((room) => room.rows.flatMap((row) => row.racks))) {
      const state = { dim: !look.shows(rack), on: rack.key === look.rack, focus: !large || rack.key === first };
      write_tile(hall, rack, tile(rack, look.m, state));
    }
  });
  for (const row of hall.querySelectorAll('.hrow'))
    row.classList.toggle('on', row.getAttribute('data-of') === look.row);
}

/**
 * @param {string} key
 * @param {string} html
 */
function changed(key, html) {
  if (written.get(key) === html) return false;
  written.set(key, html);
  return true;
}

/**
 * @param {HTMLElement} hall
 * @param {RackTile} rack
 * @param {string} html
 */
function write_tile(hall, rack, html) {
  if (!changed(`rack ${rack.key}`, html)) return;
  const key = CSS.escape(rack.key);
  const place = hall.querySelector(`[data-rack="${key}"], [data-slot="${key}"]`);
  if (!place) return;
  place.outerHTML = html;
}
