// @ts-check
// Signing in: single sign-on first, then a local account, then a token of the server. ?next= is where it leads.
import { get, post } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { escape, icon, markup } from '../core/markup.js';
import { field, frame, leave, submit } from './door.js';

/** @import { SignInWays } from '../answers.js' */

/** @type {Record<string, string>} */
const FAULTS = {
  sign_on_failed: 'Signing in did not succeed. Try again; the log of the server has the reason.',
  provider_away: 'The identity provider does not respond. Try again, or sign in another way.',
  no_role: 'None of your groups has a role here. Ask an administrator.',
  no_user_name: 'Your account there has no user name that can be used here. Ask an administrator.',
  name_taken: 'Your user name belongs to another account here. Ask an administrator.',
  disabled: 'Your account is disabled here. Ask an administrator.',
};

/** @param {SignInWays} ways */
function forms({ single_sign_on, local, tokens, first_start }) {
  const next = new URLSearchParams(location.search).get('next') ?? '/';
  const parts = [];
  if (single_sign_on) {
    const start = `/sign-in/oidc?${new URLSearchParams({ next })}`;
    parts.push(markup`
      <a class="btn primary" id="oidc" href="${escape(start)}">Continue with ${escape(single_sign_on)}</a>
    `);
  }
  if (local) {
    parts.push(markup`
      ${single_sign_on ? '<div class="or">or a local account</div>' : ''}
      <form id="local">${field('User name', 'user', 'text', 'username')}
      ${field('Password', 'password', 'password', 'current-password')}
      <button class="btn${single_sign_on ? '' : ' primary'}">Sign in</button></form>
    `);
  }
  if (tokens) {
    parts.push(markup`
      <details${single_sign_on || local ? '' : ' open'}><summary>Sign in with a token of the server</summary>
      <form id="with-token">${field('Token', 'token', 'password', 'off')}
      <button class="btn">Sign in</button></form></details>
    `);
  }
  fill($('#card'), parts.join(''));
  $('#card').hidden = !parts.length;
  $('#once').hidden = !first_start;
  fill(
    $('#once'),
    markup`
      ${icon('key')}<div><b>First start?</b>The server has printed a one-time link for the administrator. It works once
      and ends 24 h after the start. There is no default password.</div>
    `,
  );
  /** @type {HTMLElement | null} */
  const first = document.querySelector('#card :is(a, input)');
  first?.focus();
}

/** @param {SubmitEvent} event */
async function sign_in(event) {
  const given = submit(event);
  if (await given?.send(() => post('/session', Object.fromEntries(given.values)))) leave();
}

frame(async () => {
  const ways = await get('/sign-in');
  $('#site').textContent = ways.site;
  $('#title').textContent = ways.site === 'No site yet' ? 'Sign in to Wattline' : `Sign in to ${ways.site}`;
  forms(ways);
  const fault = new URLSearchParams(location.search).get('fault');
  if (fault) $('#fault').textContent = FAULTS[fault] ?? 'Signing in did not succeed. Try again.';
  for (const form of document.querySelectorAll('form')) form.addEventListener('submit', sign_in);
});
