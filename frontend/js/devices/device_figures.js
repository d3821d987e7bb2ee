// @ts-check
// The key figures of a device, its registers and its identity.
import { coverage, duration, moment, num, pct, THIN } from '../core/format.js';
import { now_ms } from '../core/live.js';
import { escape, markup, unit } from '../core/markup.js';
import { aged } from '../live/ages.js';
import { key_figure } from '../parts/key_figure.js';
import { value_of } from './point_table.js';

/** @import { DeviceView, PointRow } from '../answers.js' */

/** @param {string} kind */
const words = (kind) => kind.replaceAll('_', ' ');

/** @param {DeviceView} view */
function power(view) {
  const rows = view.points.find((g) => g.name === 'Whole device')?.rows ?? [];
  const row = rows.find((r) => value_of(r, 'power'));
  const found = row && value_of(row, 'power');
  if (!row || !found) return '';
  const watts = found.value ?? null;
  const kilo = (watts ?? found.last ?? 0) >= 1000;
  /** @param {number | null} w */
  const text = (w) => (kilo ? num(w === null ? null : w / 1000, 2) : num(w));
  const last = watts === null && found.last !== null ? `last ${text(found.last)}${THIN}${kilo ? 'kW' : 'W'}` : '';
  return key_figure(
    'Power now',
    unit(text(watts), kilo ? 'kW' : 'W'),
    last || (row.t === null ? 'no reading' : ''),
    true,
    row.t,
  );
}

/** @param {DeviceView} view */
function highest_line(view) {
  /** @param {PointRow} r */
  const share = (r) => r.limit?.share_pct ?? -1;
  const rows = view.points.filter((g) => ['Lines', 'Branches'].includes(g.name)).flatMap((g) => g.rows);
  const row = rows.filter((r) => r.limit).sort((a, b) => share(b) - share(a))[0];
  if (!row?.limit || row.limit.share_pct === null) return '';
  const now = value_of(row, row.limit.quantity)?.value ?? null;
  const of = `${pct(row.limit.share_pct)} of its limit of ${num(row.limit.value, 1)}${THIN}${row.limit.unit}`;
  return key_figure('Closest to its limit', `${escape(row.name)} ${unit(num(now, 1), row.limit.unit)}`, of);
}

/** @param {DeviceView} view */
function energy(view) {
  const register = view.registers.find((r) => r.counted_j !== null);
  if (register)
    return key_figure(
      'Energy',
      unit(num((register.counted_j ?? 0) / 3.6e6, 1), 'kWh'),
      `${view.window.label}, register`,
    );
  const row = view.points.find((g) => g.name === 'Whole device')?.rows.find((r) => r.energy_j !== null);
  if (!row || row.energy_j === null) return '';
  return key_figure('Energy', unit(num(row.energy_j / 3.6e6, 1), 'kWh'), `${view.window.label}, integral of power`);
}

/** @param {DeviceView} view */
function voltage(view) {
  const groups = view.points.filter((g) => ['Whole device', 'Lines'].includes(g.name));
  const volts = groups.flatMap((g) => g.rows).flatMap((r) => value_of(r, 'voltage')?.value ?? []);
  if (!volts.length) return '';
  const [low, high] = [Math.min(...volts), Math.max(...volts)];
  const text = low === high ? num(low, 1) : `${num(low, 1)} – ${num(high, 1)}`;
  return key_figure('Voltage', unit(text, 'V'), low === high ? 'now' : 'lowest and highest now');
}

/**
 * Return the key figures, the power of the device first.
 * @param {DeviceView} view
 */
export function device_figures(view) {
  const { device, gaps, window, codes } = view;
  const polled = `${moment(device.last, now_ms())}, polled every ${duration(device.interval_s)}`;
  const failures = Object.entries(codes);
  const total = failures.reduce((sum, [, n]) => sum + n, 0);
  const by_code = failures.map(([code, n]) => `${n} ${words(code)}`).join(', ');
  const lead = power(view);
  const age = device.last === null ? '–' : aged(device.last);
  const many = gaps.count === 1 ? 'gap' : 'gaps';
  const longest = gaps.longest_s === null ? '' : `, longest ${duration(gaps.longest_s)}`;
  const since = gaps.since === null ? '' : ` since its first reading, ${moment(gaps.since, now_ms())}`;
  const responded = key_figure('Last response', age, device.last === null ? 'never responded' : polled, !lead);
  return [
    lead || responded,
    highest_line(view),
    energy(view),
    voltage(view),
    key_figure(
      'Coverage',
      coverage(gaps.covered),
      gaps.series ? `${num(gaps.count)} ${many}${longest}${since}` : 'no readings',
    ),
    lead && responded,
    key_figure('Failed polls', num(total), by_code || window.label),
  ].join('');
}

/** @param {DeviceView} view */
export function register_table({ registers, window }) {
  /** @param {number | null} joules */
  const kwh = (joules) => num(joules === null ? null : joules / 3.6e6, 2);
  const rows = registers.map(
    (r) => markup`
      <tr><td class="nb">${escape(r.name)}</td><td class="num"><b>${kwh(r.value_j)}</b></td>
      <td class="num">${kwh(r.counted_j)}</td><td class="num">${kwh(r.integral_j)}</td>
      <td class="num">${r.difference_pct === null ? '–' : pct(r.difference_pct, 1)}</td></tr>
    `,
  );
  return markup`
    <thead><tr><th>Register</th><th class="num">Reading</th><th class="num">${window.label}</th>
    <th class="num">Integral of power</th><th class="num">Difference</th></tr></thead><tbody>${rows.join('')}</tbody>
  `;
}

/** @param {DeviceView} view */
export function identity({ device, series }) {
  /**
   * @param {'racks' | 'nodes'} page
   * @param {string | null} key
   */
  const link = (page, key) => key && `<a class="link" href="/${page}/${encodeURIComponent(key)}">${escape(key)}</a>`;
  const facts = [
    ['Key', escape(device.key)],
    ['Kind', escape(device.kind)],
    ['Model', escape(device.meter)],
    ['Profile', escape(device.profile)],
    ['Address', device.address && `<code>${escape(device.address)}</code>`],
    ['Rack', link('racks', device.rack)],
    ['Node', link('nodes', device.node)],
    ['Series', num(series)],
    ['Collector', escape(device.collector)],
    ['Latency', device.latency_s === null ? '' : `${num(device.latency_s * 1000)}${THIN}ms`],
    ['Clock offset', device.offset_s === null ? '' : `${num(device.offset_s, 2)}${THIN}s`],
    ['Skipped polls', device.skipped === null ? '' : num(device.skipped)],
    ['Alarms in 24 h', num(device.alarms)],
  ];
  return facts
    .filter(([, value]) => value)
    .map(([label, value]) => `<dt>${label}</dt><dd>${value}</dd>`)
    .join('');
}
