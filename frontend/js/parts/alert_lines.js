// Active alerts beside other things: a list of lines, kept up to date while the page is open.
//   const again = alert_panel(panel, list, { rack: 'r07' })   shows them in a panel, with "Nothing needs you" where there is none
//   alert_strip(element, { device: 'pdu-a' })                 shows them above a page, and nothing where there is none
import { get } from '../core/api.js';
import { escape, icon, moment, span } from '../core/format.js';
import { now_ms } from '../core/live.js';

const MOST = 6;
const LEVELS = { crit: ['crit', 'critical'], warn: ['warn', 'warning'] };

export const sign = (alert) => { const [name, word] = LEVELS[alert.level]; return `<span class="${name} sign">${icon(name)}<span class="vh">${word}</span></span>`; };
export const age = (alert) => span((now_ms() - Date.parse(alert.since)) / 1000);
export const taken = ({ acknowledged: a }) => (a ? `taken on by ${a.by}${a.note ? `: ${a.note}` : ''}` : '');
export const silence = (alert) => (alert.no_readings_since ? `no readings since ${moment(alert.no_readings_since, now_ms())}` : '');

function line(alert) {
  const small = [alert.amount, silence(alert), taken(alert)].filter(Boolean).map(escape).join(' · ');
  return `<li>${sign(alert)}<div><a href="${escape(alert.href)}"><b>${escape(alert.about)}</b></a><small>${small}</small></div><span class="mute num">${age(alert)}</span></li>`;
}

const more = (found) => (found.next ? `<li class="rest"><a class="link" href="/alerts">and more</a></li>` : '');

// Asks now, when the stream tells that a number changed, and every half a minute.
function watch(filter, paint, failed) {
  const ask = () => get('/alerts', { ...filter, limit: MOST }).then(paint, failed);
  document.addEventListener('wl-alerts', ask);
  setInterval(() => { if (!document.hidden) ask(); }, 30_000);
  ask();
}

export function alert_strip(element, filter) {
  element.setAttribute('aria-label', 'Active alerts');
  watch(filter, (found) => {
    element.hidden = !found.items.length;
    element.innerHTML = found.items.length ? `<ul class="list needs">${found.items.map(line).join('')}${more(found)}</ul>` : '';
  }, () => {});
}

export function alert_panel(panel, list) {
  let shown = false;
  watch({}, (found) => {
    shown = true;
    const { active, crit } = found.counts;
    if (!active) { panel.empty({ sign: 'ok', what: 'Nothing needs you', why: 'No rule finds anything now.', links: [{ label: 'Rules and past alerts', href: '/alerts' }] }); return; }
    panel.ready({ heading: active === 1 ? 'One alert is active' : `${active} alerts are active`, unit: crit ? `${crit} critical` : '' });
    list.innerHTML = found.items.map(line).join('') + more(found);
  }, (problem) => { if (!shown) panel.error(problem); });
}
