// @ts-check
// The alerts page: active alerts, past alerts, and the rules.
import { choices, read } from '../core/address.js';
import { as_problem, get, post } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { toast } from '../core/export.js';
import { count, duration, moment, num, THIN } from '../core/format.js';
import { live, now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { refresh } from '../core/refresh.js';
import { age, recovery, sign, silence, UNDECIDED, waiting_lines } from '../parts/alert_lines.js';
import { receivers, silences } from '../parts/alert_receivers.js';
import { rules } from '../parts/alert_rules.js';
import { Panel } from '../parts/panel.js';
import { hidden_if_signed_in, store_name, stored_name } from '../parts/user_name.js';
import { page_window, requested_times, window_controls } from '../time/window.js';

/** @import { Acknowledged, Alert, AlertList, AlertsView } from '../answers.js' */

const SHOWN = { all: 'All', crit: 'Critical', open: 'Unacknowledged' };
const active_panel = $('#active-panel', Panel);
const past_panel = $('#past-panel', Panel);
const rules_panel = $('#rules-panel', Panel);
const receivers_panel = $('#receivers-panel', Panel);
const silences_panel = $('#silences-panel', Panel);
/** @type {AlertsView | null} */
let view = null;

/**
 * @param {number} x
 * @param {string} unit
 */
const amount = (x, unit) =>
  unit === 's' ? duration(x) : `${num(x, unit === 'A' || unit === '°C' ? 1 : 0)}${THIN}${escape(unit)}`;

/** @param {Alert} alert */
function is_shown(alert) {
  const show = read('show', 'all');
  if (show === 'crit') return alert.level === 'crit';
  return show !== 'open' || !alert.acknowledged;
}

// ---- active ------------------------------------------------------------------------------------
const note_form = () => document.querySelector('#active form');

/** @param {Acknowledged} a */
const acknowledged = (a) => markup`
  <p class="who">${icon('ok', 'ok')}<span>acknowledged by <b>${escape(a.by)}</b> at ${moment(a.t, now_ms())}
  ${a.note ? `: ${escape(a.note)}` : ''}</span></p>
`;

/** @param {Alert} alert */
function buttons({ id, about, acknowledged: a, can_be_closed }) {
  const name = escape(about);
  const close = can_be_closed
    ? `<button class="btn" type="button" data-close="${id}" aria-label="Close: ${name}">Close</button>`
    : '';
  if (a) {
    const change = a.note ? 'Change' : 'Add';
    const label = `${change} the note: ${name}`;
    return `<button class="btn" type="button" data-note="${id}" aria-label="${label}">${change} note</button>${close}`;
  }
  return markup`
    <button class="btn primary" type="button" data-take="${id}" aria-label="Acknowledge: ${name}">Acknowledge</button>
    <button class="btn" type="button" data-note="${id}"
    aria-label="Acknowledge with a note: ${name}">with a note…</button>${close}
  `;
}

/** @param {Alert} alert */
function item(alert) {
  const { worst, unit } = alert;
  const further = worst.value !== null && worst.value !== alert.value && !alert.recovering;
  const peak = further ? ` · worst ${amount(worst.value ?? 0, unit)} at ${moment(worst.t, now_ms())}` : '';
  const lost = silence(alert);
  const until = alert.silenced_until;
  const todo = alert.recovering ? '' : `<p class="todo">${escape(alert.todo)}</p>`;
  return markup`
    <li data-id="${alert.id}">${sign(alert)}<div class="what">
    <a href="${escape(alert.href)}"><b>${escape(alert.about)}</b></a>
    <p>${alert.amount ? `<span class="amount">${escape(alert.amount)}</span> · ` : ''}
    <small>${alert.reason ? `${escape(alert.reason)} · ` : ''}since ${moment(alert.since, now_ms())}${peak}</small></p>
    ${alert.recovering ? `<small>${icon('ok', 'ok')} ${recovery(alert)}</small>` : ''}
    ${lost ? `<small class="warn">${icon('lost')} ${escape(lost)}</small>` : ''}
    ${alert.muted_by ? `<small>${icon('info')} not sent: ${escape(alert.muted_by)} is silent too</small>` : ''}
    ${until ? `<small>${icon('pause')} silenced until ${moment(until, now_ms())}</small>` : ''}
    ${todo}${alert.acknowledged ? acknowledged(alert.acknowledged) : ''}</div>
    <div class="hand">${buttons(alert)}</div><span class="num age"><b>${age(alert)}</b></span></li>
  `;
}

/** @param {AlertsView} view */
function paint_active({ counts: { active, crit, unacknowledged }, items, next, rules: list, undecided }) {
  if (note_form()) return; // a note is being written
  $('#totals').textContent = active ? `${active} active, ${crit} critical, ${unacknowledged} unacknowledged` : '';
  const shown = items.filter(is_shown);
  $('#more').hidden = !next;
  if (shown.length) {
    active_panel.ready({ heading: active === 1 ? 'One active alert' : `${active} active alerts` });
    fill($('#active'), shown.map(item).join('') + waiting_lines(undecided));
  } else if (!active && undecided.length) {
    active_panel.ready({ heading: UNDECIDED });
    fill($('#active'), waiting_lines(undecided));
  } else if (active) {
    const links = [{ label: 'Show all', href: '/alerts' }];
    active_panel.empty({ what: 'No alert matches', why: `${active} active in total.`, links });
  } else {
    const enabled = list.filter((r) => r.settings.enabled).length;
    const why = `${count(enabled, 'rule')} enabled; all lines, racks, probes and devices are within their limits.`;
    active_panel.empty({ sign: 'ok', what: 'No active alerts', why });
  }
}

/** @param {number} id */
const focus_alert = (id) => {
  /** @type {HTMLElement | null} */
  const button = document.querySelector(`#active li[data-id="${id}"] button`);
  button?.focus();
};

/**
 * @param {number} id
 * @param {string} by
 * @param {string} note
 * @param {'acknowledge' | 'close'} [action]
 */
async function acknowledge(id, by, note, action = 'acknowledge') {
  try {
    /** @type {Alert} */
    const changed = await post(`/alerts/${id}/${action}`, { by, note });
    store_name(by);
    note_form()?.remove();
    toast(action === 'close' ? 'Closed' : 'Acknowledged');
    run();
    if (!view) return;
    view.items = view.items
      .map((alert) => (alert.id === changed.id ? changed : alert))
      .filter((alert) => alert.until === null);
    paint_active(view);
    focus_alert(id);
  } catch (thrown) {
    const { detail, hint } = as_problem(thrown);
    toast([detail, hint].filter(Boolean).join(': '));
  }
}

/**
 * @param {number} id
 * @param {'acknowledge' | 'close'} [action]
 */
function ask_note(id, action = 'acknowledge') {
  note_form()?.remove();
  const note = view?.items.find((alert) => alert.id === id)?.acknowledged?.note;
  const form = document.createElement('form');
  form.className = 'row note-form';
  fill(
    form,
    markup`
      <label class="field" ${hidden_if_signed_in()}><span class="vh">Your name</span>
      <input name="by" required maxlength="100" placeholder="your name" autocomplete="name"
      value="${escape(stored_name())}"></label>
      <label class="field wide"><span class="vh">Note</span>
      <input name="note" maxlength="500" placeholder="a note for your colleagues" value="${escape(note)}"></label>
      <button class="btn primary">${action === 'close' ? 'Close' : 'Acknowledge'}</button>
      <button class="btn" type="button" data-cancel>Cancel</button>
    `,
  );
  const [by, text] = [$('[name="by"]', HTMLInputElement, form), $('[name="note"]', HTMLInputElement, form)];
  const cancel = () => {
    form.remove();
    if (view) paint_active(view);
    focus_alert(id);
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    acknowledge(id, by.value.trim(), text.value.trim(), action);
  });
  $('[data-cancel]', HTMLElement, form).addEventListener('click', cancel);
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') cancel();
  });
  $(`#active li[data-id="${id}"] .what`).append(form);
  (stored_name() ? text : by).focus();
}

$('#active').addEventListener('click', ({ target }) => {
  const { take, note, close } = /** @type {Element} */ (target).closest('button')?.dataset ?? {};
  const id = Number(take ?? note ?? close);
  if (!id) return;
  if (close) ask_note(id, 'close');
  else if (take && stored_name()) acknowledge(id, stored_name(), '');
  else ask_note(id);
});

const asked_all = () => page_window().preset === 'all';

// ---- past --------------------------------------------------------------------------------------
/** @param {Alert} alert */
function past_row(alert) {
  const { acknowledged: a, worst, limit, unit } = alert;
  const details = [alert.reason, alert.ended].filter(Boolean).join(' · ');
  return markup`
    <tr><td class="nb">${sign(alert)} ${moment(alert.since, now_ms())}</td>
    <td class="num">${duration((Date.parse(alert.until ?? alert.since) - Date.parse(alert.since)) / 1000)}</td>
    <td><a href="${escape(alert.href)}">${escape(alert.about)}</a>
    ${details ? `<small class="line">${escape(details)}</small>` : ''}</td>
    <td class="num hide-s">${worst.value === null ? '' : amount(worst.value, unit)}</td>
    <td class="num hide-s">${limit === null ? '' : amount(limit, unit)}</td>
    <td class="hide-s">${a ? escape([a.by, a.note].filter(Boolean).join(': ')) : ''}</td></tr>
  `;
}

/** @param {AlertsView} view */
function paint_past({ past, past_next }) {
  const shown = past.filter(is_shown);
  $('#more-past').hidden = !past_next;
  if (!shown.length) {
    past_panel.empty({
      what: past.length ? 'No alert matches' : asked_all() ? 'No past alerts' : 'No past alerts in this window',
      why: 'Past alerts are kept here with their worst value and who acknowledged them.',
    });
    return;
  }
  past_panel.ready({ age: asked_all() ? '' : 'active at some time of the window' });
  fill(
    $('#past'),
    markup`
      <thead><tr><th scope="col">Since</th><th scope="col" class="num">Duration</th><th scope="col">Alert</th>
      <th scope="col" class="num hide-s">Worst</th><th scope="col" class="num hide-s">Limit</th>
      <th scope="col" class="hide-s">Acknowledged by</th></tr></thead><tbody>${shown.map(past_row).join('')}</tbody>
    `,
  );
}

// ---- together ----------------------------------------------------------------------------------
/** @param {AlertsView} answer */
function paint(answer) {
  // pages of past alerts that were loaded on request stay
  const more_past = view && view.past.length > answer.past.length && view.past[0].id === answer.past[0]?.id;
  view = view && more_past ? { ...answer, past: view.past, past_next: view.past_next } : answer;
  document.dispatchEvent(new CustomEvent('wl-site', { detail: view.site }));
  paint_lists();
  rules(rules_panel, $('#rules'), view.rules, run);
  receivers(receivers_panel, $('#receivers'), view.receivers);
  silences(silences_panel, $('#silences'), view.silences, run);
}

function paint_lists() {
  if (!view) return;
  paint_active(view);
  paint_past(view);
}

/**
 * @param {'active' | 'past'} state
 * @param {'items' | 'past'} list
 * @param {'next' | 'past_next'} next
 */
async function more(state, list, next) {
  if (!view) return;
  try {
    const times = state === 'past' ? requested_times() : {};
    /** @type {AlertList} */
    const found = await get('/alerts', { state, cursor: view[next], ...times });
    view[list].push(...found.items);
    view[next] = found.next;
    paint_lists();
  } catch (thrown) {
    toast(as_problem(thrown).detail);
  }
}
$('#more').addEventListener('click', () => more('active', 'items', 'next'));
$('#more-past').addEventListener('click', () => more('past', 'past', 'past_next'));

choices($('#show'), 'show', SHOWN, 'all', paint_lists);
const panels = [active_panel, past_panel, rules_panel, receivers_panel, silences_panel];
const run = refresh(() => get('/views/alerts', requested_times()), paint, panels, 30);
window_controls(() => {
  if (view) view = { ...view, past: [] };
  run();
});
document.addEventListener('wl-alerts', run);
live({}, () => {});
