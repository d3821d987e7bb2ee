// The rules of alerts: what each watches, and a form to set it. Painted anew only while nobody has one open.
import { put } from '../core/api.js';
import { escape, icon, num, span } from '../core/format.js';
import { toast } from '../core/export.js';

const FIELDS = [
  { name: 'warn', label: 'Warns above', of: (r) => r.warn_of },
  { name: 'crit', label: 'Critical from', of: (r) => r.crit_of, optional: true },
  { name: 'margin', label: 'Margin to close', of: (r) => (r.defaults.margin ? r.warn_of : '') },
  { name: 'for_s', label: 'Must last', of: () => 's' },
  { name: 'clear_s', label: 'Must be over', of: () => 's' },
];
const is_changed = (rule) => Object.keys(rule.defaults).some((name) => rule.settings[name] !== rule.defaults[name]);
const number = (x) => num(x, Number.isInteger(x) ? 0 : 1);

function words({ settings: s, warn_of, crit_of }) {
  if (!s.enabled) return 'turned off';
  const parts = [warn_of && `above ${number(s.warn)} ${warn_of}`, crit_of && s.crit !== null && `critical from ${number(s.crit)} ${crit_of}`, s.for_s ? `when it lasts ${span(s.for_s)}` : 'at once'];
  return parts.filter(Boolean).join(', ');
}

function form(rule) {
  const fields = FIELDS.filter((f) => f.of(rule)).map((f) => `<label><span>${f.label}</span><span class="field"><input name="${f.name}" type="number" step="any" value="${rule.settings[f.name] ?? ''}"${f.optional ? ' placeholder="never"' : ' required'}></span><span class="mute">${escape(f.of(rule))}</span></label>`).join('');
  return `<details data-rule="${rule.name}"><summary>${icon(rule.settings.enabled ? 'ok' : 'stop', rule.settings.enabled ? 'ok' : 'mute')}<span><b>${escape(rule.title)}</b>${is_changed(rule) ? ' <span class="tag">changed</span>' : ''}<small>${escape(words(rule))}</small></span></summary>
    <form><p class="soft">${escape(rule.about)}</p>
    <label class="check"><input name="enabled" type="checkbox"${rule.settings.enabled ? ' checked' : ''}> look for it</label>${fields}
    <p class="crit" role="alert" hidden></p><div class="row"><button class="btn primary">Save</button><button class="btn" type="button" data-defaults${is_changed(rule) ? '' : ' disabled'}>Defaults</button></div></form></details>`;
}

function asked(rule, element) {
  const body = { enabled: element.enabled.checked };
  for (const { name, of } of FIELDS) {
    if (!of(rule)) continue;
    body[name] = element[name].value === '' ? null : Number(element[name].value);
  }
  return body;
}

export function rules(panel, element, list, changed) {
  panel.ready({ heading: list.every((r) => r.settings.enabled) ? 'Rules' : `Rules, ${list.filter((r) => !r.settings.enabled).length} turned off` });
  if (element.querySelector('details[open]')) return;
  element.innerHTML = list.map(form).join('');
  for (const rule of list) {
    const details = element.querySelector(`[data-rule="${rule.name}"]`);
    const fields = details.querySelector('form');
    const set = async (body) => {
      try {
        await put(`/alerts/rules/${rule.name}`, body);
        details.open = false;
        toast('Saved');
        changed();
      } catch (problem) {
        const told = fields.querySelector('[role="alert"]');
        told.hidden = false;
        told.textContent = problem.errors?.map((e) => `${e.where.replace('body.', '')}: ${e.detail}; ${e.hint}`).join('. ') ?? [problem.detail, problem.hint].filter(Boolean).join(': ');
      }
    };
    fields.addEventListener('submit', (event) => { event.preventDefault(); set(asked(rule, fields)); });
    fields.querySelector('[data-defaults]').addEventListener('click', () => set({}));
  }
}
