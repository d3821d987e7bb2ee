// Events as table rows: when, how bad, about what, in words. For the device page and the rack page.
import { escape, icon, moment } from '../core/format.js';
import { now_ms } from '../core/live.js';

const SIGNS = { info: ['info', 'mute'], warning: ['warn', 'warn'], error: ['crit', 'crit'], critical: ['crit', 'crit'] };

export const sign = (severity) => icon(...(SIGNS[severity] ?? SIGNS.info));
export const words = (kind) => kind.replaceAll('_', ' ');

// subject: a point of the device ('outlet/7'), or the OID of a notification that no profile names
export function happened(events, { devices = false } = {}) {
  const about = (e) => [devices && `<a class="link" href="/devices/${encodeURIComponent(e.device)}">${escape(e.device)}</a>`, e.kind === 'trap' ? '' : escape(e.subject)].filter(Boolean).join(' ');
  return `<thead class="vh"><tr><th>When</th><th>What</th><th>In words</th></tr></thead><tbody>${events.map((e) => `<tr>
    <td class="num soft">${moment(e.t, now_ms())}</td>
    <td class="kind">${sign(e.severity)} ${escape(words(e.kind))}</td>
    <td>${about(e)}${about(e) && '<br>'}<span class="soft">${escape(e.text)}</span></td></tr>`).join('')}</tbody>`;
}
