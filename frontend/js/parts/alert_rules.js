// @ts-check
// The alert rules: what each one watches, and a form to set it. Repainted only while no form is open.
import { as_problem, put } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { toast } from '../core/export.js';
import { num, span } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';

/** @import { Rule, RuleSettings } from '../answers.js' */
/** @import { Problem } from '../core/api.js' */
/** @import { Panel } from './panel.js' */

/** @typedef {Exclude<keyof RuleSettings, 'enabled'>} Name */

/** @type {{ name: Name, label: string, unit: (rule: Rule) => string, optional?: boolean }[]} */
const FIELDS = [
  { name: 'warn', label: 'Warning above', unit: (r) => r.warn_of },
  { name: 'crit', label: 'Critical from', unit: (r) => r.crit_of, optional: true },
  { name: 'margin', label: 'Margin to clear', unit: (r) => (r.defaults.margin ? r.warn_of : '') },
  { name: 'for_s', label: 'Raise after', unit: () => 's' },
  { name: 'clear_s', label: 'Clear after', unit: () => 's' },
];

/** @param {Rule} rule */
const is_changed = ({ settings, defaults }) =>
  /** @type {(keyof RuleSettings)[]} */ (Object.keys(defaults)).some((name) => settings[name] !== defaults[name]);

/** @param {number} x */
const number = (x) => num(x, Number.isInteger(x) ? 0 : 1);

/** @param {Rule} rule */
function summary({ settings: s, warn_of, crit_of }) {
  if (!s.enabled) return 'disabled';
  const parts = [
    warn_of && s.warn !== null && `${warn_of.endsWith('or less') ? '' : 'above '}${number(s.warn)} ${warn_of}`,
    crit_of && s.crit !== null && `critical from ${number(s.crit)} ${crit_of}`,
    s.for_s ? `after ${span(s.for_s)}` : 'at once',
  ];
  return parts.filter(Boolean).join(', ');
}

/** @param {Rule} rule */
function form(rule) {
  const { enabled } = rule.settings;
  const fields = FIELDS.filter((f) => f.unit(rule)).map(
    (f) => markup`
      <label><span>${f.label}</span><span class="field">
      <input name="${f.name}" type="number" step="any" value="${rule.settings[f.name] ?? ''}"
      ${f.optional ? ' placeholder="never"' : ' required'}></span>
      <span class="mute">${escape(f.unit(rule))}</span></label>
    `,
  );
  return markup`
    <details data-rule="${rule.name}"><summary>${icon(enabled ? 'ok' : 'stop', enabled ? 'ok' : 'mute')}
    <span><b>${escape(rule.title)}</b>${is_changed(rule) ? ' <span class="tag">changed</span>' : ''}
    <small>${escape(summary(rule))}</small></span></summary>
    <form><p class="soft">${escape(rule.about)}</p>
    <label class="check"><input name="enabled" type="checkbox"${enabled ? ' checked' : ''}> enabled</label>
    ${fields.join('')}<p class="crit" role="alert" hidden></p>
    <div class="row"><button class="btn primary">Save</button>
    <button class="btn" type="button" data-defaults${is_changed(rule) ? '' : ' disabled'}>Defaults</button></div>
    </form></details>
  `;
}

/**
 * @param {Rule} rule
 * @param {HTMLFormElement} element
 */
function entered(rule, element) {
  /** @param {string} name */
  const input = (name) => $(`[name="${name}"]`, HTMLInputElement, element);
  const fields = FIELDS.filter((f) => f.unit(rule)).map(({ name }) => {
    const { value } = input(name);
    return [name, value === '' ? null : Number(value)];
  });
  return { enabled: input('enabled').checked, ...Object.fromEntries(fields) };
}

/** @param {Problem} problem */
const explained = ({ errors, detail, hint }) =>
  errors?.map((e) => `${e.where.replace('body.', '')}: ${e.detail}; ${e.hint}`).join('. ') ??
  [detail, hint].filter(Boolean).join(': ');

/**
 * @param {Rule} rule
 * @param {HTMLDetailsElement} details
 * @param {() => void} changed
 */
function connect(rule, details, changed) {
  const fields = $('form', HTMLFormElement, details);
  /** @param {object} body  settings; {} is the defaults */
  const set = async (body) => {
    try {
      await put(`/alerts/rules/${rule.name}`, body);
      details.open = false;
      toast('Saved');
      changed();
    } catch (thrown) {
      const message = $('[role="alert"]', HTMLElement, fields);
      message.hidden = false;
      message.textContent = explained(as_problem(thrown));
    }
  };
  fields.addEventListener('submit', (event) => {
    event.preventDefault();
    set(entered(rule, fields));
  });
  $('[data-defaults]', HTMLElement, fields).addEventListener('click', () => set({}));
}

/**
 * @param {Panel} panel
 * @param {HTMLElement} element
 * @param {Rule[]} list
 * @param {() => void} changed
 */
export function rules(panel, element, list, changed) {
  const disabled = list.filter((r) => !r.settings.enabled).length;
  panel.ready({ heading: disabled ? `Rules, ${disabled} disabled` : 'Rules' });
  if (element.querySelector('details[open]')) return;
  if (!fill(element, list.map(form).join(''))) return;
  for (const rule of list) connect(rule, $(`[data-rule="${rule.name}"]`, HTMLDetailsElement, element), changed);
}
