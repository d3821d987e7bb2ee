// @ts-check
// One's own account: tokens, password, data.
import { as_problem, get, post, put } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { toast } from '../core/export.js';
import { markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';
import { boxes, input, on_submit, show_once } from './forms.js';
import { tokens_table } from './tokens_table.js';

/** @import { Me } from '../answers.js' */

const SCOPES = ['read', 'readings:write', 'jobs:write', 'operate', 'plan', 'admin'];

async function list() {
  const panel = $('#tokens-panel', Panel);
  try {
    const { items } = await get('/tokens');
    if (!items.length) panel.empty({ what: 'No tokens', why: 'A program sends a token instead of a password.' });
    else {
      panel.ready();
      tokens_table($('#tokens'), items, list);
    }
  } catch (thrown) {
    panel.error(as_problem(thrown), list);
  }
}

/** @param {Me} me */
function token_form(me) {
  $('#new-panel', Panel).ready();
  const machines = me.permissions.includes('admin');
  fill(
    $('#new'),
    markup`
      <form class="formline">${input('What it is for', 'name', 'required maxlength="200"')}
      <fieldset><legend>Scopes</legend>${boxes('scopes', me.is_user ? me.scopes : SCOPES, ['read'])}</fieldset>
      ${input('Days', 'days', 'type="number" min="1" max="3650" value="90"')}
      ${machines ? input('Only for collector', 'collector') + input('Only for cluster', 'cluster') : ''}
      <button class="btn primary">Create</button></form>
    `,
  );
  on_submit($('#new form', HTMLFormElement), async (values) => {
    const days = Number(values.get('days')) || null;
    const limits = Object.fromEntries(
      ['collector', 'cluster'].map((name) => [name, String(values.get(name) ?? '') || null]),
    );
    const made = await post('/tokens', { name: values.get('name'), scopes: values.getAll('scopes'), days, ...limits });
    show_once($('#new'), made.token, 'The token, shown this once:');
    await list();
  });
}

function password_form() {
  const panel = $('#password-panel', Panel);
  panel.ready();
  fill(
    $('#password'),
    markup`
      <form class="formline">
      ${input('Present password', 'old', 'type="password" autocomplete="current-password" required')}
      ${input('New password', 'new', 'type="password" autocomplete="new-password" minlength="12" required')}
      <button class="btn">Change</button></form>
    `,
  );
  const form = $('#password form', HTMLFormElement);
  on_submit(form, async (values) => {
    await put('/me/password', { old: values.get('old'), new: values.get('new') });
    form.reset();
    toast('Password changed; other sessions have ended');
  });
}

async function start() {
  /** @type {Me} */
  const me = await get('/me');
  $('#who').textContent = me.label;
  $('#roles').textContent = [me.roles.join(', '), me.projects.join(', ')].filter(Boolean).join(' · ');
  token_form(me);
  if (me.can_change_password) password_form();
  else $('#password-panel').hidden = true;
  $('#data-panel', Panel).ready();
  fill(
    $('#data'),
    me.is_user
      ? '<a class="btn" href="/api/v1/me/data.json" download>Export my data</a>'
      : '<span class="soft">Only users have data of their own.</span>',
  );
  await list();
}

start().catch((thrown) => $('#new-panel', Panel).error(as_problem(thrown), () => location.reload()));
