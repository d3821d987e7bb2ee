// @ts-check
// A one-time link: the first administrator chooses a name, everyone sets a password. The code is in the fragment.
import { post } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { escape, markup } from '../core/markup.js';
import { field, frame, leave, submit } from './door.js';

const code = location.hash.slice(1);

/** @param {SubmitEvent} event */
async function accept(event) {
  const given = submit(event);
  if (!given) return;
  const { user = '', password, again } = Object.fromEntries(given.values);
  if (password !== again) {
    $('#fault').textContent = 'The two passwords differ.';
    return;
  }
  if (!(await given.send(() => post('/link/accept', { code, user, password })))) return;
  history.replaceState(null, '', location.pathname);
  leave();
}

frame(async () => {
  const { user } = await post('/link', { code });
  $('#title').textContent = user ? `Welcome, ${user}` : 'Create the administrator';
  $('#lead').textContent = user ? 'Choose a password.' : 'Choose a user name and a password.';
  fill(
    $('#card'),
    markup`
      <form>${user ? `<input type="hidden" name="username" autocomplete="username" value="${escape(user)}">` : ''}
      ${user ? '' : field('User name', 'user', 'text', 'username')}
      ${field('Password', 'password', 'password', 'new-password')}
      ${field('Once more', 'again', 'password', 'new-password')}
      <p class="hint">At least 12 characters, such as four words.</p>
      <button class="btn primary">${user ? 'Set the password' : 'Create the administrator'}</button></form>
    `,
  );
  $('form').addEventListener('submit', accept);
  $('input:not([type="hidden"])').focus();
});
