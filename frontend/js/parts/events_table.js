// @ts-check
// Events as table rows: time, severity, subject and text. For the device page and the rack page.
import { moment } from '../core/format.js';
import { now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';

/** @import { DeviceEvent } from '../answers.js' */

/** @type {Record<string, [name: string, cls: string]>} */
const SIGNS = {
  info: ['info', 'mute'],
  warning: ['warn', 'warn'],
  error: ['crit', 'crit'],
  critical: ['crit', 'crit'],
};

/** @param {string} severity */
export const sign = (severity) => icon(...(SIGNS[severity] ?? SIGNS.info));

/** @param {string} kind */
export const words = (kind) => kind.replaceAll('_', ' ');

/**
 * @param {DeviceEvent} event  its subject is a point of the device ('outlet/7') or the OID of an unknown notification
 * @param {boolean} devices
 */
function about(event, devices) {
  const device = escape(event.device);
  const link = devices && `<a class="link" href="/devices/${encodeURIComponent(event.device)}">${device}</a>`;
  return [link, event.kind === 'trap' ? '' : escape(event.subject)].filter(Boolean).join(' ');
}

/**
 * Return the rows with a head for screen readers; `devices` names the device of each event.
 * @param {DeviceEvent[]} events
 * @param {{ devices?: boolean }} [options]
 */
export function events_table(events, { devices = false } = {}) {
  /** @param {DeviceEvent} e */
  const row = (e) => {
    const subject = about(e, devices);
    return markup`
      <tr><td class="num soft">${moment(e.t, now_ms())}</td>
      <td class="kind">${sign(e.severity)} ${escape(words(e.kind))}</td>
      <td>${subject}${subject && '<br>'}<span class="soft">${escape(e.text)}</span></td></tr>
    `;
  };
  return markup`
    <thead class="vh"><tr><th>Time</th><th>Event</th><th>Description</th></tr></thead>
    <tbody>${events.map(row).join('')}</tbody>
  `;
}
