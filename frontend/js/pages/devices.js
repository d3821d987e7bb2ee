// The devices page: who answers, how reliably, how fast. The worst stand first.
import { choices, read, write } from '../core/address.js';
import { get } from '../core/api.js';
import { ago, coverage, escape, icon, num, THIN } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { refresh } from '../core/refresh.js';

const $ = (selector) => document.querySelector(selector);
const SHOWN = { all: 'All', trouble: 'In trouble' };
const panel = $('#table-panel');
let view = null;

const SIGNS = { silent: ['lost', 'crit', 'silent'], never: ['warn', 'warn', 'never answered'], 'not polled': ['info', 'mute', 'not polled'], answering: ['ok', 'ok', 'answers'] };

export function state(row) {
  const [sign, cls, text] = SIGNS[row.state];
  return `<span class="${cls} nb">${icon(sign)} ${text}</span>`;
}

const place = (row) => [row.rack && `<a class="link" href="/racks/${encodeURIComponent(row.rack)}">${escape(row.rack)}</a>`, row.node && `<a class="link" href="/nodes/${encodeURIComponent(row.node)}">${escape(row.node)}</a>`].filter(Boolean).join(' · ');
const age = (row) => (row.last === null ? '–' : ago((now_ms() - Date.parse(row.last)) / 1000));

// A share below 99 % is a sign of trouble: three minutes in five hours.
function answered(row) {
  const sign = row.answered !== null && row.answered < 0.99 ? `${icon('warn', 'warn')} ` : '';
  return sign + coverage(row.answered);
}

export const latency = (row) => (row.latency_s === null ? '–' : row.latency_s < 1 ? `${num(row.latency_s * 1000)}${THIN}ms` : `${num(row.latency_s, 1)}${THIN}s`);
export const offset = (row) => (row.offset_s === null ? '–' : `${row.offset_s > 0 ? '+' : ''}${num(row.offset_s, 2)}${THIN}s`);

// number: right-aligned; small: stays on a narrow screen
const COLUMNS = [
  { title: 'Device', small: true, cell: (r) => `<a href="/devices/${encodeURIComponent(r.key)}"><b>${escape(r.label)}</b></a><small class="line">${place(r) || escape(r.kind)}</small>` },
  { title: 'State', small: true, cell: (r) => `${state(r)}<small class="line" title="${escape(r.reason)}">${escape(r.reason)}</small>` },
  { title: 'Last answer', number: true, small: true, cell: age },
  { title: 'Answered', number: true, cell: answered },
  { title: 'Outages', number: true, cell: (r) => num(r.outages) },
  { title: 'Failed polls', number: true, cell: (r) => num(r.failures) },
  { title: 'Skipped', number: true, cell: (r) => (r.skipped === null ? '–' : num(r.skipped)) },
  { title: 'Latency', number: true, cell: latency },
  { title: 'Clock', number: true, cell: offset },
  { title: 'Alarms', number: true, cell: (r) => (r.alarms ? `<span class="crit">${num(r.alarms)}</span>` : '0') },
  { title: 'Profile', cell: (r) => `${escape(r.profile)}<small class="line">${escape(r.meter)}</small>` },
  { title: 'Collector', cell: (r) => escape(r.collector ?? '–') },
];
const classes = (c) => [c.number && 'num', !c.small && 'hide-s'].filter(Boolean).join(' ');

function wanted(row) {
  const q = read('q').toLowerCase();
  const trouble = row.state === 'silent' || row.state === 'never' || row.alarms > 0 || (row.answered !== null && row.answered < 0.99);
  if (read('show', 'all') === 'trouble' && !trouble) return false;
  return !q || [row.key, row.label, row.rack, row.node, row.profile, row.meter, row.address, row.kind].some((text) => (text ?? '').toLowerCase().includes(q));
}

function paint_table() {
  if (!view) return;
  if (!view.rows.length) {
    panel.empty({ what: 'No device yet', why: 'Devices stand in the facility file; wattline probe says what a device is.' });
    return;
  }
  const rows = view.rows.filter(wanted);
  if (!rows.length) { panel.empty({ what: 'No device fits', why: 'Nothing is in trouble, or nothing has this name.', links: [{ label: 'All devices', href: '/devices' }] }); return; }
  panel.ready({ heading: view.title });
  $('#table').innerHTML = `<thead><tr>${COLUMNS.map((c) => `<th scope="col" class="${classes(c)}">${c.title}</th>`).join('')}</tr></thead>
    <tbody>${rows.map((r) => `<tr>${COLUMNS.map((c) => `<td class="${classes(c)}">${c.cell(r)}</td>`).join('')}</tr>`).join('')}</tbody>`;
}

function paint(answer) {
  view = answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  const polled = view.rows.filter((r) => r.state !== 'not polled');
  const silent = polled.filter((r) => r.state !== 'answering').length;
  $('#totals').textContent = `${polled.length} polled, ${polled.length - silent} answer${view.rows.length > polled.length ? `, ${view.rows.length - polled.length} fed otherwise` : ''}`;
  paint_table();
}

$('#q').value = read('q');
$('#q').addEventListener('input', ({ target }) => { write({ q: target.value }); paint_table(); });
choices($('#show'), 'show', SHOWN, 'all', paint_table);
refresh(() => get('/views/devices'), paint, [panel], 15);
live({}, () => {});
