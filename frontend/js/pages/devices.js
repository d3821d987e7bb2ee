// @ts-check
// The devices page: availability, latency and failures of each device, the worst first.
import { may } from '../access/me.js';
import { choices, read, write } from '../core/address.js';
import { get } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { coverage, num, THIN } from '../core/format.js';
import { live } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { aged } from '../live/ages.js';
import { device_state } from '../parts/device_state.js';
import { Panel } from '../parts/panel.js';

/** @import { DeviceRow, DevicesView } from '../answers.js' */

const SHOWN = { all: 'All', trouble: 'With problems' };
const panel = $('#table-panel', Panel);
const search = $('#q', HTMLInputElement);
/** @type {DevicesView | null} */
let view = null;

/**
 * @param {'racks' | 'nodes'} page
 * @param {string | null} key
 */
const link = (page, key) => key && `<a class="link" href="/${page}/${encodeURIComponent(key)}">${escape(key)}</a>`;

/** @param {DeviceRow} row */
const place = (row) => [link('racks', row.rack), link('nodes', row.node)].filter(Boolean).join(' · ');

/**
 * A share below 99 % is a sign of trouble: three minutes in five hours.
 * @param {DeviceRow} row
 */
const is_unreliable = (row) => row.answered !== null && row.answered < 0.99;

/** @param {DeviceRow} row */
function latency({ latency_s }) {
  if (latency_s === null) return '–';
  return latency_s < 1 ? `${num(latency_s * 1000)}${THIN}ms` : `${num(latency_s, 1)}${THIN}s`;
}

/** @param {DeviceRow} row */
const offset = ({ offset_s }) => (offset_s === null ? '–' : `${offset_s > 0 ? '+' : ''}${num(offset_s, 2)}${THIN}s`);

/** @param {DeviceRow} row */
const name_cell = (row) => markup`
  <a href="/devices/${encodeURIComponent(row.key)}"><b>${escape(row.label)}</b></a>
  <small class="line">${place(row) || escape(row.kind)}</small>
`;

/** @param {DeviceRow} row */
const state_cell = (row) =>
  `${device_state(row)}<small class="line" title="${escape(row.reason)}">${escape(row.reason)}</small>`;

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {(row: DeviceRow) => string} cell
 * @property {boolean} [number]  right-aligned
 * @property {boolean} [small]  shown on a narrow screen too
 */

/** @type {Column[]} */
const COLUMNS = [
  { title: 'Device', small: true, cell: name_cell },
  { title: 'State', small: true, cell: state_cell },
  { title: 'Last response', number: true, small: true, cell: (r) => (r.last === null ? '–' : aged(r.last)) },
  {
    title: 'Responding',
    number: true,
    cell: (r) => (is_unreliable(r) ? `${icon('warn', 'warn')} ` : '') + coverage(r.answered),
  },
  { title: 'Outages', number: true, cell: (r) => num(r.outages) },
  { title: 'Failed polls', number: true, cell: (r) => num(r.failures) },
  { title: 'Skipped', number: true, cell: (r) => num(r.skipped) },
  { title: 'Latency', number: true, cell: latency },
  { title: 'Clock offset', number: true, cell: offset },
  { title: 'Alarms', number: true, cell: (r) => (r.alarms ? `<span class="crit">${num(r.alarms)}</span>` : '0') },
  { title: 'Profile', cell: (r) => `${escape(r.profile)}<small class="line">${escape(r.meter)}</small>` },
  { title: 'Collector', cell: (r) => escape(r.collector ?? '–') },
];

/** @param {Column} c */
const classes = (c) => [c.number && 'num', !c.small && 'hide-s'].filter(Boolean).join(' ');

/** @param {DeviceRow} row */
function is_shown(row) {
  const trouble = ['silent', 'unread', 'never'].includes(row.state) || row.alarms > 0 || is_unreliable(row);
  if (read('show', 'all') === 'trouble' && !trouble) return false;
  const q = read('q').toLowerCase();
  const texts = [row.key, row.label, row.rack, row.node, row.profile, row.meter, row.address, row.kind];
  return !q || texts.some((text) => (text ?? '').toLowerCase().includes(q));
}

/** @param {DeviceRow} row */
const table_row = (row) => `<tr>${COLUMNS.map((c) => `<td class="${classes(c)}">${c.cell(row)}</td>`).join('')}</tr>`;

function paint_table() {
  if (!view) return;
  if (!view.rows.length) {
    const why = 'A collector reads a device once and shows its readings; then it is added to the facility.';
    panel.empty({ what: 'No devices yet', why, links: [{ label: 'Add a device', href: '/add-device' }] });
    return;
  }
  const rows = view.rows.filter(is_shown);
  if (!rows.length) {
    const links = [{ label: 'All devices', href: '/devices' }];
    panel.empty({ what: 'No device matches', why: 'No device has problems, or none matches the search.', links });
    return;
  }
  panel.ready({ heading: view.title });
  const titles = COLUMNS.map((c) => `<th scope="col" class="${classes(c)}">${c.title}</th>`);
  fill(
    $('#table'),
    markup`
      <thead><tr>${titles.join('')}</tr></thead><tbody>${rows.map(table_row).join('')}</tbody>
    `,
  );
}

/** @param {DevicesView} answer */
function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  const polled = view.rows.filter((r) => r.state !== 'not polled');
  const responding = polled.filter((r) => r.state === 'answering').length;
  const others = view.rows.length - polled.length;
  const pushed = others ? `, ${others} not polled` : '';
  $('#totals').textContent = `${responding} of ${polled.length} responding${pushed}`;
  paint_table();
}

search.value = read('q');
search.addEventListener('input', () => {
  write({ q: search.value }, { typing: true });
  paint_table();
});
choices($('#show'), 'show', SHOWN, 'all', paint_table);
refresh(() => get('/views/devices'), paint, [panel], 15);
may('admin').then((is_admin) => ($('#add').hidden = !is_admin));
live({}, () => {});
