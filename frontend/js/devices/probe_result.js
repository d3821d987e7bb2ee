// @ts-check
// What a collector read from a device that is to be added: its identity and every value.
import { $, fill } from '../core/dom.js';
import { count, num, THIN } from '../core/format.js';
import { escape, markup } from '../core/markup.js';

/** @import { Probe, ProbedDevice } from '../answers.js' */
/** @import { Panel } from '../parts/panel.js' */

/** @typedef {ProbedDevice['readings'][number]} Reading */

/** @param {number} value */
const digits = (value) => (Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : 3);

/**
 * Return a value with its unit, energy in kWh.
 * @param {Reading} reading
 */
function shown({ value, unit, quantity, sensor }) {
  if (value === null) return '';
  const [in_unit, name] = unit === 'J' ? [value / 3.6e6, 'kWh'] : [value, unit === '1' ? '' : unit];
  const what = quantity.replaceAll('_', ' ');
  const measured = `${num(in_unit, unit === 'J' ? 1 : digits(in_unit))}${name && THIN + escape(name)}`;
  return `<span${sensor ? ` title="${escape(sensor)}"` : ''}><small>${escape(what)}</small> <b>${measured}</b></span>`;
}

/**
 * Return one row for each point, with all its values.
 * @param {Reading[]} readings
 */
function rows(readings) {
  /** @type {Map<string, Reading[]>} */
  const points = new Map();
  for (const one of readings) points.set(one.point, [...(points.get(one.point) ?? []), one]);
  return [...points].map(
    ([point, values]) => markup`
      <tr><th scope="row">${escape(point)}</th><td><div class="values">${values.map(shown).join('')}</div></td></tr>
    `,
  );
}

/**
 * Show how long a probe has waited.
 * @param {Panel} panel
 * @param {Probe} probe
 */
export function paint_waiting(panel, { collector, address, state, asked: since }) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1000));
  const doing = state === 'waiting' ? `Waiting for collector ${collector}` : `Collector ${collector} reads ${address}`;
  panel.ready({ heading: '2 · What it reads' });
  fill(
    $('#read'),
    markup`
      <div class="state"><b role="status">${escape(doing)}</b>
      <span aria-hidden="true">${seconds}${THIN}s; at most a minute</span></div>
    `,
  );
}

/**
 * Show what a device is and what it reads.
 * @param {Panel} panel
 * @param {Probe} probe
 * @param {ProbedDevice} report
 */
export function paint_readings(panel, { address, collector }, report) {
  const name = [report.vendor, report.model].filter(Boolean).join(' ') || address;
  panel.ready({ heading: `2 · ${name}: ${count(report.readings.length, 'value')}` });
  const missing = report.missing.length ? `${count(report.missing.length, 'value')} of the profile not returned` : '';
  fill(
    $('#read'),
    markup`
      <dl class="kv"><dt>Address</dt><dd>${escape(address)}</dd><dt>Profile</dt><dd>${escape(report.profile)}</dd>
      <dt>Read by</dt><dd>${escape(collector)}</dd>
      ${missing && `<dt>Missing</dt><dd title="${escape(report.missing.join(', '))}">${missing}</dd>`}
      ${report.notes.map((note) => `<dt>Note</dt><dd>${escape(note)}</dd>`).join('')}</dl>
      <div class="scroll" tabindex="0" role="region" aria-label="Readings of ${escape(name)}"><table>
      <thead><tr><th scope="col">Point</th><th scope="col">Values</th></tr></thead>
      <tbody>${rows(report.readings).join('')}</tbody></table></div>
    `,
  );
}
