// @ts-check
// The racks that are closest to the limit of a measure, with their room, and those that might be.
import { $, fill } from '../core/dom.js';
import { THIN } from '../core/format.js';
import { estimated, missing_bar } from '../core/known_power.js';
import { escape, icon, markup } from '../core/markup.js';
import { MEASURES, over, ranked, ranks } from '../parts/measures.js';
import { Panel } from '../parts/panel.js';
import { rack_link } from './tile.js';

/** @import { FacilityView, RackTile } from '../answers.js' */
/** @import { Measure } from '../parts/measures.js' */

const MOST = 11;

/** @param {string} text */
const small = (text) => (text ? `<small>${text}</small>` : '');

/**
 * @param {Measure} m
 * @param {RackTile} r
 * @param {string} rank
 * @param {boolean} with_room
 */
function line(m, r, rank, with_room) {
  const mark = m.mark ? `<b style="left:${m.mark}%"></b>` : '';
  const sign = m.partial(r) ? (m.falling ? '≤' : '≥') : '';
  const room = with_room ? [r.room_label, r.row && `row ${r.row}`].filter(Boolean).join(' · ') : '';
  return markup`
    <li>${rank ? `<span class="rk">${rank}</span>` : ''}
    <a href="${rack_link(r.key)}"><b>${escape(r.label)}</b>${small(escape(room))}</a>
    <span class="track"><i style="width:${Math.min(100, m.bar(r))}%"></i>
    ${m === MEASURES.load && r.usable_w !== null ? missing_bar(r, r.usable_w) : ''}${mark}</span>
    <span class="num">${over(m, r) ? icon('warn', 'warn') : ''}
    ${' '}<b>${sign}${m.text(m.value(r) ?? 0)}${THIN}${m.unit}</b></span>
    <span class="num mute">${m.of(r)}${r.usable_w === null ? '' : small(estimated(r, r.usable_w))}</span></li>
  `;
}

/**
 * @param {Pick<FacilityView, 'worst_titles'>} view
 * @param {RackTile[]} racks  those that match the filter
 * @param {Measure} m
 * @param {{ rooms: number, filtered: boolean }} of
 */
export function paint_worst({ worst_titles }, racks, m, { rooms, filtered }) {
  const panel = $('#worst-panel', Panel);
  const all = ranked(m, racks);
  if (!all.length) {
    const silent = racks.every((r) => r.known_w === null);
    const none = filtered && !racks.length ? 'No rack matches the filter.' : '';
    const why = none || (silent ? 'No rack is responding.' : `No rack has ${m.absent.replace(/^no /, '')} now.`);
    panel.empty({ what: 'Nothing to rank', why });
    return;
  }
  const heading = filtered ? `Worst of ${racks.length} racks that match` : worst_titles[m.name];
  panel.ready({ heading, unit: m.short });
  const rows = all.slice(0, MOST);
  const few = all.length <= MOST;
  const order = few ? ranks(m, all) : [];
  const open = all.filter((r) => m.partial(r));
  $('#worst').classList.toggle('ranked', few && open.length > 0);
  fill($('#worst'), rows.map((r, i) => line(m, r, few && open.length ? order[i] : '', rooms > 1)).join(''));
  fill(
    $('#worst-note'),
    note(
      m,
      few,
      open.filter((r) => !rows.includes(r)),
    ),
  );
}

/**
 * Return what might belong into the list: in a short one by its places, in a long one by name.
 * @param {Measure} m
 * @param {boolean} few
 * @param {RackTile[]} open
 */
function note(m, few, open) {
  if (few) return open.length ? 'Ordered by what is known. A place such as 1–2 means: the missing part decides.' : '';
  if (!open.length) return '';
  const sign = m.falling ? '≤' : '≥';
  const names = open.slice(0, 4).map((r) => {
    const link = `<a class="link" href="${rack_link(r.key)}">${escape(r.label)}</a>`;
    return `${link} ${sign}${m.text(m.value(r) ?? 0)}${THIN}${m.unit}`;
  });
  const more = open.length > 4 ? ` and ${open.length - 4} more` : '';
  const many = open.length === 1 ? 'One rack' : `${open.length} racks`;
  return `${icon('lost', 'warn')} ${many} known in part may belong here: ${names.join(', ')}${more}`;
}
