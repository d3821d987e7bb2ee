// @ts-check
// The page of one device: its readings first, then its availability, failed polls, events and refused readings.
import { handle_keys, key_of_page } from '../core/address.js';
import { get, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { duration, moment, num, pct, THIN } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { escape, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { alert_strip } from '../parts/alert_lines.js';
import { device_figures, identity, register_table } from '../devices/device_figures.js';
import { paint_curve, select_in_address, selected } from '../devices/point_curve.js';
import { paint_line, take_lines } from '../devices/live_lines.js';
import { point_table } from '../devices/point_table.js';
import { device_state } from '../parts/device_state.js';
import { events_table, words } from '../parts/events_table.js';
import { Panel } from '../parts/panel.js';
import { requested_window, window_controls } from '../time/window.js';

/** @import { DeviceView, LiveValues, Measured } from '../answers.js' */

/** @type {DeviceView | null} */
let view = null;
const KEY = key_of_page();
const name = `/views/device/${encodeURIComponent(KEY)}`;
$('#name').textContent = KEY;

/** @param {DeviceView} view */
function paint_head({ device }) {
  document.title = `${device.label} · Wattline`;
  $('#name').textContent = device.label;
  fill($('#state'), device_state(device));
  $('#of').textContent = device.reason;
}

/** @param {DeviceView} view */
function paint_readings(view) {
  const panel = $('#readings-panel', Panel);
  const row = selected(view);
  if (!row) {
    panel.empty({ what: 'No readings yet', why: view.device.reason || 'They appear after the first response.' });
    $('#curve-panel', Panel).empty({ what: 'No curve', why: 'This device has no readings yet.' });
    return;
  }
  const { from, to, label } = view.window;
  const shown = { device: KEY, point: row.point, window: { from, to } };
  const points = view.points.reduce((sum, g) => sum + g.rows.length, 0);
  panel.ready({
    heading: points === 1 ? 'One point' : `${points} points`,
    unit: `every ${duration(view.device.interval_s)}`,
  });
  fill($('#readings'), view.points.map((group) => point_table(group, shown, label)).join(''));
}

/** @param {DeviceView} view */
function paint_registers(view) {
  const panel = $('#registers-panel', Panel);
  panel.hidden = !view.registers.length;
  if (panel.hidden) return;
  const [first] = view.registers;
  const apart = first.difference_pct === null ? null : Math.abs(first.difference_pct);
  const agree = apart === null ? '' : `Register and curve ${apart < 0.05 ? 'agree' : `differ by ${pct(apart, 1)}`}`;
  panel.ready({ heading: agree || 'Energy registers' });
  fill($('#registers'), register_table(view));
}

/** @param {Record<string, string | null>} address */
function select(address) {
  select_in_address(address);
  if (view) paint_selection(view);
}

/** @param {DeviceView} view */
function paint_selection(view) {
  paint_readings(view);
  const row = selected(view);
  if (row) paint_curve(KEY, row, select);
}

/** @param {DeviceView['failures'][number]} f */
function failure_row(f) {
  const many = f.count > 1;
  return markup`
    <tr><td class="num soft">${many ? `${moment(f.since, now_ms())}–` : ''}${moment(f.t, now_ms())}</td>
    <td class="kind">${many ? `${num(f.count)} × ` : ''}${escape(words(f.code))}</td>
    <td class="soft">${escape(f.text)}</td></tr>
  `;
}

/** @param {DeviceView} view */
function paint_failures({ failures }) {
  const panel = $('#failures-panel', Panel);
  panel.hidden = !failures.length; // the panel before it says that none failed
  if (panel.hidden) return;
  panel.ready({ unit: failures.length === 100 ? 'the newest 100' : '' });
  fill(
    $('#failures'),
    markup`
      <thead class="vh"><tr><th>Time</th><th>Code</th><th>Reason</th></tr></thead>
      <tbody>${failures.map(failure_row).join('')}</tbody>
    `,
  );
}

/** @param {DeviceView['refused'][number]} r */
function refused_row(r) {
  return markup`
    <tr><td class="num soft">${r.count > 1 ? `${moment(r.since, now_ms())}–` : ''}${moment(r.t, now_ms())}</td>
    <td class="kind">${r.count > 1 ? `${num(r.count)} × ` : ''}refused: ${escape(r.text)}</td>
    <td class="soft">${escape(r.why)}</td></tr>
  `;
}

/** @param {DeviceView} view */
function paint_refused({ refused }) {
  const panel = $('#refused-panel', Panel);
  panel.hidden = !refused.length;
  if (!refused.length) return;
  panel.ready({ unit: 'stored as missing' });
  fill(
    $('#refused'),
    markup`
      <thead class="vh"><tr><th>Time</th><th>Reading</th><th>Reason</th></tr></thead>
      <tbody>${refused.map(refused_row).join('')}</tbody>
    `,
  );
}

/** @param {{ name: string, unit: string }} quantity */
const quantity = ({ name, unit }) =>
  `${escape(words(name))}${unit === 'enum' || unit === '1' ? '' : ` <span class="soft">${escape(unit)}</span>`}`;

/** @param {DeviceView} view */
function paint_measures({ measures }) {
  const panel = $('#measures-panel', Panel);
  if (!measures.length) {
    panel.empty({ what: 'Nothing yet', why: 'The measured quantities are known after the first response.' });
    return;
  }
  panel.ready();
  const sensors = measures.some((m) => m.sensor);
  /** @param {Measured} m */
  const accuracy = ({ accuracy_pct: x, accuracy_abs: more, accuracy_unit: unit }) => {
    if (x === null) return '–';
    const share = `${num(x, x < 1 ? 1 : 0)}${THIN}%`;
    return more === null ? `±${share}` : `±(${share} + ${num(more, more < 1 ? 2 : 0)}${THIN}${escape(unit)})`;
  };
  /** @param {Measured} m */
  const row = (m) => markup`
    <tr><td class="nb">${escape(m.point)}${m.count > 1 ? ` <span class="soft">${num(m.count)} ×</span>` : ''}</td>
    <td>${m.quantities.map(quantity).join(', ')}</td>${sensors ? `<td class="soft">${escape(m.sensor)}</td>` : ''}
    <td class="num">${duration(m.interval_s)}</td><td class="num">${accuracy(m)}</td></tr>
  `;
  fill(
    $('#measures'),
    markup`
      <thead><tr><th>Point</th><th>Quantities</th>${sensors ? '<th>Reading</th>' : ''}
      <th class="num">Interval</th><th class="num">Accuracy</th></tr></thead>
      <tbody>${measures.map(row).join('')}</tbody>
    `,
  );
}

/** @param {DeviceView} view */
function paint_events({ events }) {
  if (events.length) {
    $('#events-panel', Panel).ready();
    fill($('#events'), events_table(events));
    return;
  }
  $('#events-panel', Panel).empty({
    what: 'No events',
    why: 'Restarts, counter resets and SNMP notifications appear here (wattline collect --traps PORT).',
  });
}

/** @param {DeviceView} answer */
function paint(answer) {
  document.dispatchEvent(new CustomEvent('wl-site', { detail: answer.site }));
  view = answer;
  paint_head(view);
  fill($('#figures'), device_figures(view));
  $('#facts-panel', Panel).ready();
  fill($('#facts'), identity(view));
  paint_selection(view);
  paint_registers(view);
  paint_failures(view);
  paint_refused(view);
  paint_measures(view);
  paint_events(view);
  const { answers } = view.figures;
  const source = path(name, requested_window());
  $('#answers-panel', Panel).figure($('#answers'), answers, { source, age: view.window.label, zoom });
  $('#answers-notes').textContent = (answers.notes ?? []).join(' ');
}

/** @param {LiveValues} values */
function update({ lines, devices }) {
  const amps = lines?.[KEY];
  if (!view || !amps) return;
  for (const row of take_lines(view.points, amps, devices?.[KEY]?.t ?? null)) paint_line($('#readings'), row);
  fill($('#figures'), device_figures(view)); // the line that is closest to its limit
}

const panels = [...document.querySelectorAll('wl-panel')].filter((p) => p instanceof Panel);
const zoom = window_controls(() => run());
const alerts = alert_strip($('#alerts'), { device: KEY });
/** @returns {Promise<DeviceView>} */
const load = () => Promise.all([get(name, requested_window()), alerts()]).then(([answer]) => answer);
const run = refresh(load, paint, panels, 10);
live({ device: KEY }, update);
handle_keys(['point', 'quantity'], () => {
  if (view) paint_selection(view);
});
$('#readings').addEventListener('click', ({ target }) => {
  const at = /** @type {Element} */ (target);
  const row = /** @type {HTMLElement | null} */ (at.closest('tr[data-point]'));
  if (!row || at.closest('a')) return;
  select({ point: row.dataset.point ?? null, quantity: null });
  /** @type {HTMLElement | null} */ ($('#readings').querySelector('tr[data-on] button'))?.focus();
});
