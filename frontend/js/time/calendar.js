// @ts-check
// The months of the time bar: click the first and the last day of a window.
import { markup } from '../core/markup.js';
import { DAY, HOUR, instant, MONTHS, wall } from './when.js';

const WEEK = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/**
 * @typedef {object} CalendarView
 * @property {number} year
 * @property {number} month  0…11
 * @property {[first: number, last: number]} span  on the wall, as if UTC [ms]
 * @property {string} zone
 * @property {number} now
 */

/**
 * Return how many hours a day has where clocks change in it, else null.
 * @param {number} day  its midnight as if UTC [ms]
 * @param {string} zone
 */
export function odd_hours(day, zone) {
  const hours = (instant(day + DAY, zone) - instant(day, zone)) / HOUR;
  return hours === 24 ? null : hours;
}

/**
 * @param {number} day
 * @param {CalendarView} view
 */
function day_button(day, { span: [start, end], zone, now }) {
  const t = new Date(day);
  const today = wall(now, zone).getTime();
  const on = day + DAY > start && day < end;
  const hours = odd_hours(day, zone);
  const classes = [
    on && 'on',
    on && day <= start && 'a',
    on && day + DAY >= end && 'b',
    hours && 'dst',
    day <= today && day + DAY > today && 'today',
  ];
  const changes = hours ? `, ${hours} hours: clocks change` : '';
  const name = `${t.getUTCDate()} ${MONTHS[t.getUTCMonth()]} ${t.getUTCFullYear()}${changes}`;
  return markup`
    <button type="button" data-day="${day}" class="${classes.filter(Boolean).join(' ')}"
    ${day > today ? ' disabled' : ''} aria-pressed="${on}" aria-label="${name}">${t.getUTCDate()}</button>
  `;
}

/**
 * Return a month as markup; `side` says which arrows it has.
 * @param {CalendarView} view
 * @param {'left' | 'right'} side
 */
export function month(view, side) {
  const first = Date.UTC(view.year, view.month, 1);
  const lead = (new Date(first).getUTCDay() + 6) % 7;
  const count = new Date(Date.UTC(view.year, view.month + 1, 0)).getUTCDate();
  const name = `${MONTHS[view.month]} ${view.year}`;
  const cells = Array.from({ length: count }, (_, i) => day_button(first + i * DAY, view));
  const next = side === 'right' ? '<button type="button" data-step="1" aria-label="Next month">›</button>' : '';
  return markup`
    <div class="cal ${side}" role="group" aria-label="${name}">
    <h3><button type="button" data-step="-1" aria-label="Previous month">‹</button><span>${name}</span>${next}</h3>
    <div class="days">${WEEK.map((d) => `<i aria-hidden="true">${d}</i>`).join('')}
    ${'<span></span>'.repeat(lead)}${cells.join('')}</div></div>
  `;
}
