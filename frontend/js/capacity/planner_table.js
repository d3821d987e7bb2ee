// @ts-check
// The planner's table as HTML: heads that sort, and one row with its bar.
import { moment, num, pct, THIN } from '../core/format.js';
import { least } from '../core/known_power.js';
import { now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { sparkline } from '../parts/sparkline.js';

/** @import { Row } from './planner.js' */

/** @typedef {{ key: keyof Row, title: string, number: boolean }} Column */

/** @type {Column[]} */
export const COLUMNS = [
  { key: 'label', title: '', number: false },
  { key: 'rated', title: 'Rated', number: true },
  { key: 'budget', title: 'Budgeted', number: true },
  { key: 'max', title: 'Observed max', number: true },
  { key: 'p99', title: 'p99', number: true },
  { key: 'trend', title: 'Peak in 30 d', number: true },
  { key: 'limit', title: 'Limit', number: true },
  { key: 'share', title: 'Max of limit', number: true },
  { key: 'fits', title: 'Fits', number: true },
  { key: 'binds', title: 'Binds', number: false },
  { key: 'stranded', title: 'Stranded', number: true },
];

/**
 * @param {string} first  the title of the first column
 * @param {keyof Row} key
 * @param {boolean} falling
 */
export function table_head(first, key, falling) {
  /** @param {Column} column */
  const cell = (column) => {
    const on = column.key === key;
    const order = on ? ` aria-sort="${falling ? 'descending' : 'ascending'}"` : '';
    const arrow = on ? ` <span aria-hidden="true">${falling ? '↓' : '↑'}</span>` : '';
    const bar = column.key === 'label' ? '<td class="bar"></td>' : '';
    return markup`
      <th scope="col" class="c-${column.key} ${column.number ? 'num' : ''}"${order}>
      <button type="button" data-sort="${column.key}">${escape(column.title || first)}${arrow}</button></th>${bar}
    `;
  };
  return `<tr>${COLUMNS.map(cell).join('')}</tr>`;
}

/**
 * @param {Row} row
 * @param {number} scale  the largest share of a limit that a bar shows
 */
function bar({ max, rated, limit, full }, scale) {
  if (!full) return '<span class="mute">no limit declared</span>';
  /** @param {number | null} x */
  const at = (x) => Math.min(100, ((x ?? 0) / (full * scale * 1.02)) * 100);
  const width = at(rated) - at(max);
  const bad = (rated ?? 0) > full ? ' bad' : '';
  const more = width > 0 ? `<i class="add${bad}" style="left:${at(max)}%;width:${width}%"></i>` : '';
  const kept = limit !== null && limit < full ? `<b style="left:${at(limit)}%"></b>` : '';
  const marks = `${kept}<b class="max" style="left:${at(full)}%"></b>`;
  return `<span class="track"><i style="width:${at(max)}%"></i>${more}${marks}</span>`;
}

/** @param {Row} row */
function fits({ fits: n, why, binds, nodes_only }) {
  if (why) return `<span class="mute" title="${escape(why)}">not evaluated</span>`;
  if (n === null) return binds ? '–' : '<span class="mute">–</span>';
  const known = nodes_only ? '<small class="mute">nodes only</small>' : '';
  return `${icon(n > 0 ? 'ok' : 'crit', n > 0 ? 'ok' : 'crit')} <b>${num(n)}</b>${known}`;
}

/**
 * Return the course of the daily maxima of the power, and by how much they change; in kW also where the row is in A.
 * @param {Row} row
 */
function trend({ trend: change, daily, unit }) {
  const course = sparkline(daily);
  if (!course) return '<span class="mute">–</span>';
  if (change === null) return `${course}<small class="mute">under a week</small>`;
  const digits = Math.abs(change) < 1000 ? 2 : 1;
  const kilowatts = `${change > 0 ? '+' : ''}${num(change / 1000, digits)}${unit === 'W' ? '' : `${THIN}kW`}`;
  return `${course}<small class="mute">${kilowatts}</small>`;
}

/**
 * @param {Row} row
 * @param {number} scale
 * @param {boolean} selected
 */
export function table_row(row, scale, selected) {
  const factor = row.unit === 'W' ? 1000 : 1;
  /** @param {number | null} x */
  const value = (x) => num(x === null ? null : x / factor, 1);
  const title = row.href
    ? `<a class="link" href="${row.href}">${escape(row.label)}</a>`
    : `<b>${escape(row.label)}</b>`;
  const over = row.share !== null && row.share > 1 ? `${icon('crit', 'crit')} ` : '';
  const when = row.max === null ? 'no readings' : row.max_at === null ? '' : moment(row.max_at, now_ms());
  const of = row.limit !== row.full && row.full !== null ? `<small class="mute">of ${value(row.full)}</small>` : '';
  return markup`
    <tr${selected ? ' class="on"' : ''}><th scope="row" class="c-label">${title}
    <small class="mute" title="${escape(row.place)}">${escape(row.place)}</small></th>
    <td class="bar">${bar(row, scale)}</td><td class="num c-rated">${value(row.rated)}</td>
    <td class="num c-budget">${value(row.budget)}</td>
    <td class="num c-max"><b>${least(row.partial)}${value(row.max)}</b><small class="mute">${when}</small></td>
    <td class="num c-p99">${value(row.p99)}</td>
    <td class="num c-trend">${trend(row)}</td><td class="num c-limit">${value(row.limit)}${of}</td>
    <td class="num c-share">${over}${row.share === null ? '–' : pct(row.share * 100)}</td>
    <td class="num c-fits">${fits(row)}</td><td class="c-binds">${escape(row.binds)}</td>
    <td class="num c-stranded">${value(row.stranded)}</td></tr>
  `;
}
