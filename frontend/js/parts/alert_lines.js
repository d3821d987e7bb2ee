// @ts-check
// Active alerts beside other content: a list that is kept up to date while the page is open.
//   alert_panel(panel, list)                      shows them in a panel, with "No active alerts" where there is none
//   alert_strip(element, { device: 'pdu-a' })     shows the worst above a page, the others on request, and nothing
//                                                 where there is none: what follows does not move when more begin
import { get } from '../core/api.js';
import { fill } from '../core/dom.js';
import { moment, span } from '../core/format.js';
import { age_s, now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';

/** @import { Alert, AlertList, UndecidedRule } from '../answers.js' */
/** @import { Params, Problem } from '../core/api.js' */
/** @import { Panel } from './panel.js' */

const MOST = 6;
const MOST_WAITING = 3;
/** The heading where no alert is active, but a rule waits for readings. */
export const UNDECIDED = 'Whether a limit is exceeded is not known';
const LEVELS = { crit: ['crit', 'critical'], warn: ['warn', 'warning'] };

/** @param {Alert} alert */
export function sign(alert) {
  const [name, word] = LEVELS[alert.level];
  return `<span class="${name} sign">${icon(name)}<span class="vh">${word}</span></span>`;
}

/** @param {Alert} alert */
export const age = (alert) => span(age_s(alert.since));

/** @param {Alert} alert */
export function silence(alert) {
  if (!alert.no_readings_since) return '';
  const when = `since ${moment(alert.no_readings_since, now_ms())}`;
  return alert.missing ? `${alert.missing} ${when}` : `no readings ${when}`;
}

/**
 * Say that an alert is about to end, so that it does not contradict the value beside it.
 * @param {Alert} alert
 */
export const recovery = ({ recovering }) => (recovering ? 'over, ends unless it returns' : '');

/** @param {Alert} alert */
const acknowledged = ({ acknowledged: a }) => (a ? `acknowledged by ${a.by}${a.note ? `: ${a.note}` : ''}` : '');

/** @param {Alert} alert */
function line(alert) {
  const parts = [alert.amount, silence(alert), recovery(alert), acknowledged(alert)];
  const small = parts.filter(Boolean).map(escape).join(' · ');
  return markup`
    <li>${sign(alert)}<div><a href="${escape(alert.href)}"><b>${escape(alert.about)}</b></a>
    <small>${small}</small></div>
    <span class="mute num">${age(alert)}</span></li>
  `;
}

/** @param {AlertList} found */
const more = (found) => (found.next ? `<li class="rest"><a class="link" href="/alerts">More</a></li>` : '');

/** @param {UndecidedRule} rule */
const waiting_line = (rule) => markup`
  <li class="waiting">${icon('lost', 'mute')}<div class="soft">Not decided:
  ${' '}<a href="${escape(rule.href)}">${escape(rule.about)}</a><small>${escape(rule.missing)}</small></div>
  <span></span></li>
`;

/**
 * Return the rules that wait for readings, as lines of a list.
 * @param {UndecidedRule[]} rules
 */
export function waiting_lines(rules) {
  const rest = rules.length - MOST_WAITING;
  const more =
    rest > 0 ? `<li class="rest"><span class="soft">and ${rest} more that wait for readings</span></li>` : '';
  return rules.slice(0, MOST_WAITING).map(waiting_line).join('') + more;
}

/**
 * Request the alerts when the stream reports that a number changed, and every half minute.
 * Return what requests them now.
 * @param {Params} filter
 * @param {(found: AlertList) => void} paint
 * @param {(problem: Problem) => void} failed
 */
function watch(filter, paint, failed) {
  const request = () => get('/alerts', { ...filter, limit: MOST }).then(paint, failed);
  document.addEventListener('wl-alerts', request);
  setInterval(() => {
    if (!document.hidden) request();
  }, 30_000);
  return request;
}

/** @param {AlertList} found */
function others(found) {
  const count = found.items.length - 1;
  return found.next ? `${count}+ more` : `${count} more`;
}

/**
 * Return the worst alert, and a button for the others, or all of them.
 * @param {AlertList} found
 * @param {boolean} all
 */
export function strip_html(found, all) {
  if (!found.items.length) return '';
  const shown = all ? found.items : found.items.slice(0, 1);
  const lines = `<ul class="list needs">${shown.map(line).join('')}${all ? more(found) : ''}</ul>`;
  if (found.items.length === 1) return lines;
  const label = all ? 'Show one' : others(found);
  return `${lines}<button type="button" class="btn" aria-expanded="${all}">${label}</button>`;
}

/**
 * Show the active alerts above a page. Return a function that requests them: a page calls it whenever it loads and
 * waits for the answer, so that both say the same of a device.
 * @param {HTMLElement} element
 * @param {Params} filter
 * @returns {() => Promise<void>}
 */
export function alert_strip(element, filter) {
  element.setAttribute('aria-label', 'Active alerts');
  /** @type {AlertList | undefined} */
  let last;
  let all = false;
  /** @param {AlertList} found */
  const paint = (found) => {
    last = found;
    element.hidden = !found.items.length;
    fill(element, strip_html(found, all));
  };
  element.addEventListener('click', ({ target }) => {
    if (!last || !(target instanceof Element) || !target.closest('button')) return;
    all = !all;
    paint(last);
  });
  return watch(filter, paint, () => {});
}

/**
 * @param {Panel} panel
 * @param {HTMLElement} list
 */
export function alert_panel(panel, list) {
  let shown = false;
  const request = watch(
    {},
    (found) => {
      shown = true;
      const { active, crit } = found.counts;
      const waiting = found.undecided;
      if (!active && !waiting.length) {
        panel.empty({
          sign: 'ok',
          what: 'No active alerts',
          why: 'No alert rule has fired.',
          links: [{ label: 'Rules and past alerts', href: '/alerts' }],
        });
        return;
      }
      panel.ready({
        heading: active ? (active === 1 ? 'One active alert' : `${active} active alerts`) : UNDECIDED,
        unit: crit ? `${crit} critical` : '',
      });
      fill(list, found.items.map(line).join('') + more(found) + waiting_lines(waiting));
    },
    (problem) => {
      if (!shown) panel.error(problem);
    },
  );
  request();
}
