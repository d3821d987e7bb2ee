// @ts-check
// Receivers of alerts with a test of each, and silences with a form to add one. The form is not repainted while in use.
import { as_problem, post, remove } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { toast } from '../core/export.js';
import { count, moment } from '../core/format.js';
import { now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { hidden_if_signed_in, store_name, stored_name } from './user_name.js';

/** @import { AlertReceiver, AlertSilence, ReceiverTest } from '../answers.js' */
/** @import { Panel } from './panel.js' */

/** @type {Record<string, string>} */
const FORMS = {
  email: 'e-mail',
  slack: 'Slack',
  teams: 'Teams',
  mattermost: 'Mattermost',
  alertmanager: 'Alertmanager form',
};
/** @type {Map<string, ReceiverTest>} */
const tested = new Map();

/** @param {unknown} thrown */
const explained = (thrown) => {
  const { detail, hint } = as_problem(thrown);
  return [detail, hint].filter(Boolean).join(': ');
};

// ---- receivers ---------------------------------------------------------------------------------
/** @param {AlertReceiver} r */
function about(r) {
  const form = FORMS[r.form] ?? r.form;
  return [
    `${form} at ${r.host}`,
    r.level === 'crit' ? 'critical only' : '',
    r.rules.length ? r.rules.join(', ') : '',
    r.quiet ? `quiet ${r.quiet}` : '',
    r.waiting ? `${count(r.waiting, 'alert')} waiting` : '',
  ]
    .filter(Boolean)
    .join(' · ');
}

/** @param {AlertReceiver} r */
function receiver(r) {
  const answer = tested.get(r.name);
  const works = answer ? answer.accepted : r.working;
  const [name, word] = works === null ? ['info', 'not used yet'] : works ? ['ok', 'working'] : ['crit', 'failing'];
  const last = r.tried ? `${r.answer} at ${moment(r.tried, now_ms())}` : 'not used yet';
  const text = answer ? `Test: ${answer.answer}` : last;
  return markup`
    <li><span class="${name} sign">${icon(name)}<span class="vh">${word}</span></span>
    <div class="what"><b>${escape(r.name)}</b><small>${escape(about(r))}</small>
    <small class="${works === false ? 'crit' : 'soft'}" role="status">${escape(text)}</small></div>
    <button class="btn" type="button" data-test="${escape(r.name)}"
    aria-label="Send a test to ${escape(r.name)}">Send test</button></li>
  `;
}

/**
 * @param {Panel} panel
 * @param {HTMLElement} element
 * @param {AlertReceiver[]} list
 */
export function receivers(panel, element, list) {
  if (!list.length) {
    const why = 'Alerts are listed here only. WATTLINE_ALERT_RECEIVERS declares e-mail, chats and webhooks.';
    panel.empty({ what: 'No receiver', why });
    return;
  }
  panel.ready();
  if (!fill(element, list.map(receiver).join(''))) return;
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (element.querySelectorAll('[data-test]'))) {
    button.addEventListener('click', async () => {
      const name = button.dataset.test ?? '';
      button.disabled = true;
      try {
        tested.set(name, await post(`/alerts/receivers/${encodeURIComponent(name)}/test`, {}));
      } catch (thrown) {
        tested.set(name, { accepted: false, answer: explained(thrown) });
      }
      receivers(panel, element, list);
    });
  }
}

// ---- silences ----------------------------------------------------------------------------------
const KINDS = { all: 'every alert', device: 'device', rack: 'rack', node: 'node', rule: 'rule' };

/** @param {AlertSilence} s */
function silence({ id, state, start, end, by, note, rule, rack, device, node }) {
  const parts = [device, rack && `rack ${rack}`, node && `node ${node}`, rule].filter(Boolean);
  const place = parts.join(', ') || 'every alert';
  const from = state === 'planned' ? `from ${moment(start, now_ms())} ` : '';
  return markup`
    <li><span class="mute sign">${icon('pause')}<span class="vh">${state}</span></span>
    <div class="what"><b>${escape(place)}</b><small>${from}until ${moment(end, now_ms())} · ${escape(by)}
    ${note ? `: ${escape(note)}` : ''}</small></div>
    <button class="btn" type="button" data-end="${id}"
    aria-label="End the silence of ${escape(place)}">End</button></li>
  `;
}

const form = () => markup`
  <details class="add"><summary>Add a silence or a maintenance window</summary><form>
  <label><span>About</span><span class="field"><select name="kind">${Object.entries(KINDS)
    .map(([value, label]) => `<option value="${value}">${label}</option>`)
    .join('')}</select></span></label>
  <label><span>Key</span><span class="field"><input name="key" maxlength="200" placeholder="pdu-r08-a"></span></label>
  <label><span>Start</span><span class="field"><input name="start" type="datetime-local"></span></label>
  <label><span>Hours</span><span class="field"><input name="hours" type="number" min="0.1" max="8760" step="any"
  value="2" required></span></label>
  <label ${hidden_if_signed_in()}><span>Your name</span><span class="field"><input name="by" maxlength="100" required
  value="${escape(stored_name())}"></span></label>
  <label><span>Note</span><span class="field"><input name="note" maxlength="500"></span></label>
  <p class="crit" role="alert" hidden></p>
  <div class="row"><button class="btn primary">Add</button></div></form></details>
`;

/** @param {FormData} data */
function entered(data) {
  /** @param {string} name */
  const text = (name) => String(data.get(name) ?? '').trim();
  const start = text('start') ? Date.parse(text('start')) : now_ms();
  const [kind, key] = [text('kind'), text('key')];
  return {
    by: text('by'),
    note: text('note'),
    start: text('start') ? new Date(start).toISOString() : null,
    end: new Date(start + 3_600_000 * Number(text('hours'))).toISOString(),
    ...(kind === 'all' ? {} : { [kind]: key }),
  };
}

/**
 * @param {HTMLElement} element
 * @param {() => void} changed
 */
function connect(element, changed) {
  const fields = $('form', HTMLFormElement, element);
  fields.addEventListener('submit', async (event) => {
    event.preventDefault();
    const body = entered(new FormData(fields));
    try {
      await post('/alerts/silences', body);
      store_name(body.by);
      $('details', HTMLDetailsElement, element).open = false;
      toast('Added');
      changed();
    } catch (thrown) {
      const message = $('[role="alert"]', HTMLElement, fields);
      message.hidden = false;
      message.textContent = explained(thrown);
    }
  });
}

/**
 * @param {Panel} panel
 * @param {HTMLElement} element
 * @param {AlertSilence[]} list
 * @param {() => void} changed
 */
export function silences(panel, element, list, changed) {
  panel.ready({ heading: list.length ? count(list.length, 'silence') : 'Silences' });
  if (element.querySelector('details[open]')) return;
  if (!fill(element, `<ul class="list">${list.map(silence).join('')}</ul>${form()}`)) return;
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (element.querySelectorAll('[data-end]'))) {
    button.addEventListener('click', async () => {
      try {
        await remove(`/alerts/silences/${button.dataset.end}`);
        changed();
      } catch (thrown) {
        toast(explained(thrown));
      }
    });
  }
  connect(element, changed);
}
