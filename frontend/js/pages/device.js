// @ts-check
// The page of one device: its availability, its events, its failed polls, what it measures.
import { key_of_page } from '../core/address.js';
import { get, path } from '../core/api.js';
import { $ } from '../core/dom.js';
import { ago, coverage, duration, moment, num, THIN } from '../core/format.js';
import { age_s, live, now_ms } from '../core/live.js';
import { escape, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { alert_strip } from '../parts/alert_lines.js';
import { device_state } from '../parts/device_state.js';
import { events_table, words } from '../parts/events_table.js';
import { key_figure } from '../parts/key_figure.js';
import { Panel } from '../parts/panel.js';
import { requested_window, window_controls } from '../time/window.js';

/** @import { DeviceView, Measured } from '../answers.js' */

const KEY = key_of_page();
const name = `/views/device/${encodeURIComponent(KEY)}`;
$('#name').textContent = KEY;

/** @param {DeviceView} view */
function paint_head({ device }) {
  document.title = `${device.label} · Wattline`;
  $('#name').textContent = device.label;
  $('#state').innerHTML = device_state(device);
  $('#of').textContent = device.reason;
}

/** @param {DeviceView} view */
function paint_figures({ device, gaps, window, codes }) {
  const age = device.last === null ? '–' : ago(age_s(device.last));
  const polled = `${moment(device.last, now_ms())}, polled every ${duration(device.interval_s)}`;
  const ms = device.latency_s === null ? '–' : `${num(device.latency_s * 1000)}${THIN}<span class="u">ms</span>`;
  const failures = Object.entries(codes);
  const total = failures.reduce((sum, [, n]) => sum + n, 0);
  const by_code = failures.map(([code, n]) => `${n} ${words(code)}`).join(', ');
  $('#figures').innerHTML = [
    key_figure('Last response', age, device.last === null ? 'never responded' : polled, true),
    key_figure('Coverage', coverage(gaps.covered), gaps.series ? `${window.label}, by ${gaps.series}` : 'no readings'),
    key_figure(
      'Gaps',
      gaps.covered === null ? '–' : num(gaps.count),
      gaps.longest_s === null ? window.label : `longest ${duration(gaps.longest_s)}`,
    ),
    key_figure('Failed polls', num(total), by_code || window.label),
    key_figure('Latency', ms, device.collector ? `median of the last polls, ${device.collector}` : 'not polled now'),
    key_figure('Alarms', num(device.alarms), 'in the last 24 h'),
  ].join('');
}

/** @param {DeviceView} view */
function paint_facts({ device, series }) {
  /**
   * @param {'racks' | 'nodes'} page
   * @param {string | null} key
   */
  const link = (page, key) => key && `<a class="link" href="/${page}/${encodeURIComponent(key)}">${escape(key)}</a>`;
  const facts = [
    ['Key', escape(device.key)],
    ['Kind', escape(device.kind)],
    ['Profile', escape(device.profile)],
    ['Model', escape(device.meter)],
    ['Address', device.address && `<code>${escape(device.address)}</code>`],
    ['Rack', link('racks', device.rack)],
    ['Node', link('nodes', device.node)],
    ['Series', num(series)],
    ['Collector', escape(device.collector)],
    ['Clock offset', device.offset_s === null ? '' : `${num(device.offset_s, 2)}${THIN}s`],
    ['Skipped polls', device.skipped === null ? '' : num(device.skipped)],
  ];
  $('#facts-panel', Panel).ready();
  $('#facts').innerHTML = facts
    .filter(([, value]) => value)
    .map(([label, value]) => `<dt>${label}</dt><dd>${value}</dd>`)
    .join('');
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
function paint_failures({ failures, window }) {
  const panel = $('#failures-panel', Panel);
  if (!failures.length) {
    panel.empty({ what: 'No failed polls', why: `In ${window.label}.`, sign: 'ok' });
    return;
  }
  panel.ready({ unit: failures.length === 100 ? 'the newest 100' : '' });
  $('#failures').innerHTML = markup`
    <thead class="vh"><tr><th>Time</th><th>Code</th><th>Reason</th></tr></thead>
    <tbody>${failures.map(failure_row).join('')}</tbody>
  `;
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
  $('#refused').innerHTML = markup`
    <thead class="vh"><tr><th>Time</th><th>Reading</th><th>Reason</th></tr></thead>
    <tbody>${refused.map(refused_row).join('')}</tbody>
  `;
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
  $('#measures').innerHTML = markup`
    <thead><tr><th>Point</th><th>Quantities</th>${sensors ? '<th>Reading</th>' : ''}
    <th class="num">Interval</th><th class="num">Accuracy</th></tr></thead>
    <tbody>${measures.map(row).join('')}</tbody>
  `;
}

/** @param {DeviceView} view */
function paint_events({ events }) {
  if (events.length) {
    $('#events-panel', Panel).ready();
    $('#events').innerHTML = events_table(events);
    return;
  }
  $('#events-panel', Panel).empty({
    what: 'No events',
    why: 'Restarts, counter resets and SNMP notifications appear here (wattline collect --traps PORT).',
  });
}

/** @param {DeviceView} view */
function paint(view) {
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_head(view);
  paint_figures(view);
  paint_facts(view);
  paint_failures(view);
  paint_refused(view);
  paint_measures(view);
  paint_events(view);
  const { answers } = view.figures;
  const source = path(name, requested_window());
  $('#answers-panel', Panel).figure($('#answers'), answers, { source, age: view.window.label, zoom });
  $('#answers-notes').textContent = (answers.notes ?? []).join(' ');
}

const panels = [...document.querySelectorAll('wl-panel')].filter((p) => p instanceof Panel);
const zoom = window_controls(() => run());
const run = refresh(() => get(name, requested_window()), paint, panels, 20);
live({ device: KEY }, () => {});
alert_strip($('#alerts'), { device: KEY });
