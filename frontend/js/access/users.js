// @ts-check
// Users for administrators: create, roles, disable, one-time links; all tokens; the audit log.
import { as_problem, get, patch, post } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { count, moment } from '../core/format.js';
import { escape, markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';
import { boxes, input, on_submit, report, show_once } from './forms.js';
import { tokens_table } from './tokens_table.js';

/** @import { AuditLine, User } from '../answers.js' */

const ROLES = ['viewer', 'researcher', 'project-lead', 'operator', 'planner', 'admin'];

/** @param {User} user */
const row = (user) => markup`
  <tr data-name="${escape(user.name)}">
  <td><b>${escape(user.name)}</b><small class="line">${escape(user.label)}</small></td>
  <td><fieldset class="roles"><legend class="vh">Roles of ${escape(user.name)}</legend>
  ${boxes('roles', ROLES, user.roles)}</fieldset></td>
  <td class="hide-s">${escape(user.projects.join(', '))}</td>
  <td class="hide-s">${user.seen ? moment(user.seen, Date.now()) : 'never'}</td>
  <td>${user.disabled ? 'disabled' : user.has_password || user.origin !== 'local' ? 'active' : 'invited'}</td>
  <td class="num"><button class="btn" type="button" data-do="link">New link</button>
  <button class="btn" type="button" data-do="disabled">${user.disabled ? 'Enable' : 'Disable'}</button></td></tr>
`;

/** @param {string} name @param {string | null} href */
const about = (name, href) => (href ? `<a class="link" href="${escape(href)}">${escape(name)}</a>` : escape(name));

/** @param {AuditLine} entry */
const audit_row = ({ t, who, address, action, subject, label, href, before, after }) => markup`
  <tr><td class="nb">${moment(t, Date.now())}</td><td>${escape(who)}<small class="line">${escape(address)}</small></td>
  <td class="nb">${escape(action)}</td><td class="about">${about(label ?? subject, href)}</td>
  <td class="hide-s states">${escape(change(before, after))}</td></tr>
`;

/**
 * @param {Record<string, unknown> | null} before
 * @param {Record<string, unknown> | null} after
 */
function change(before, after) {
  const names = Object.keys({ ...before, ...after });
  const text = (/** @type {unknown} */ value) => JSON.stringify(value) ?? '–';
  return names
    .filter((name) => text(before?.[name]) !== text(after?.[name]))
    .map((name) => `${name}: ${before ? `${text(before[name])} → ` : ''}${text(after?.[name])}`)
    .join('; ');
}

/** @param {MouseEvent} event */
async function act({ target }) {
  const element = /** @type {Element} */ (target);
  const line = /** @type {HTMLElement | null} */ (element.closest('tr[data-name]'));
  const name = line?.dataset.name;
  if (!line || !name) return;
  const path = `/users/${encodeURIComponent(name)}`;
  const what = element.closest('button')?.dataset.do;
  if (what === 'link') {
    const { url, until } = await post(`${path}/link`, {});
    show_once($('#new'), url, `For ${name}, once, until ${moment(until, Date.now())}:`);
  } else if (what === 'disabled') await patch(path, { disabled: element.textContent === 'Disable' });
  else if (element instanceof HTMLInputElement) {
    const roles = [...line.querySelectorAll('input:checked')].map((box) => /** @type {HTMLInputElement} */ (box).value);
    await patch(path, { roles });
  } else return;
  await load();
}

const PANELS = ['#new-panel', '#users-panel', '#tokens-panel', '#audit-panel'];

async function load() {
  const [users, tokens, audit] = await Promise.all([
    get('/users'),
    get('/tokens', { everyone: 'true' }),
    get('/audit', { limit: 50 }),
  ]);
  for (const id of PANELS) $(id, Panel).ready();
  $('#count').textContent = count(users.items.length, 'user');
  if (!users.items.length)
    $('#users-panel', Panel).empty({
      what: 'No users yet',
      why: 'Who opens the link of a new user sets a password.',
    });
  if (!tokens.items.length)
    $('#tokens-panel', Panel).empty({
      what: 'No tokens yet',
      why: 'A program sends a token instead of a password.',
    });
  fill(
    $('#users'),
    markup`
      <thead><tr><th scope="col">User</th><th scope="col">Roles</th><th scope="col" class="hide-s">Projects led</th>
      <th scope="col" class="hide-s">Last signed in</th><th scope="col">State</th>
      <th scope="col"><span class="vh">Actions</span></th></tr></thead><tbody>${users.items.map(row).join('')}</tbody>
    `,
  );
  tokens_table($('#tokens'), tokens.items, load);
  fill(
    $('#audit'),
    markup`
      <thead><tr><th scope="col">Time</th><th scope="col">Who</th><th scope="col">Action</th>
      <th scope="col">Subject</th><th scope="col" class="hide-s">Change</th></tr></thead>
      <tbody>${audit.items.map(audit_row).join('')}</tbody>
    `,
  );
}

fill(
  $('#new'),
  markup`
    <form class="formline">${input('User name, as in jobs', 'name', 'required maxlength="64" spellcheck="false"')}
    ${input('Full name', 'label')}
    <fieldset><legend>Roles</legend>${boxes('roles', ROLES, ['researcher'])}</fieldset>
    ${input('Projects led, separated by commas', 'projects')}<button class="btn primary">Create</button></form>
  `,
);
on_submit($('#new form', HTMLFormElement), async (values) => {
  const projects = String(values.get('projects'))
    .split(',')
    .map((x) => x.trim())
    .filter(Boolean);
  const body = {
    name: values.get('name'),
    label: values.get('label'),
    roles: values.getAll('roles'),
    projects,
  };
  const { url, user } = await post('/users', body);
  show_once($('#new'), url, `The link with which ${user} sets a password:`);
  await load();
});
$('#users').addEventListener('click', (event) => {
  act(event).catch((thrown) => {
    report(thrown);
    load();
  });
});
function start() {
  load().catch((thrown) => {
    const problem = as_problem(thrown);
    for (const id of PANELS) $(id, Panel).error(problem, start);
  });
}
start();
