// @ts-check
// A command that waits for a token: the user compares code and machine, and lets it in or refuses. ?code= is the code.
import { read } from '../core/address.js';
import { as_problem, get, post } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { escape, markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';
import { input, on_submit } from './forms.js';

/** @import { Me, WaitingCommand } from '../answers.js' */

const panel = $('#command-panel', Panel);
const place = $('#command');

/** @param {string} code */
const path_of = (code) => `/device-login/${encodeURIComponent(code)}`;

/**
 * @param {string} code
 * @param {boolean} allow
 */
async function decide(code, allow) {
  await post(path_of(code), { allow });
  fill(
    place,
    allow
      ? '<p role="status"><b>Done.</b> The command goes on by itself. You can revoke its token on the page Tokens.</p>'
      : '<p role="status"><b>Refused.</b> The command got nothing.</p>',
  );
}

/**
 * @param {string} code
 * @param {WaitingCommand} command
 * @param {Me} me
 */
function question(code, { host, address }, me) {
  const may = me.permissions.includes('jobs:write') ? 'see your jobs and register jobs as you' : 'see what you see';
  fill(
    place,
    markup`
      <p>A command on <b>${escape(host)}</b> (address ${escape(address)}) asks to ${escape(may)}, for 90 days.
      Does it show this code?</p>
      <p class="usercode"><code>${escape(code)}</code></p>
      <p class="hint">If you did not start <code>wattline login</code> yourself just now, refuse: another person would
      get your access.</p>
      <div class="formline"><button class="btn primary" type="button" data-allow="yes">Let it in</button>
      <button class="btn" type="button" data-allow="">Refuse</button></div>
    `,
  );
  for (const button of place.querySelectorAll('button')) {
    button.addEventListener('click', () => decide(code, Boolean(button.dataset.allow)).catch(fail));
  }
}

/** @param {unknown} thrown */
const fail = (thrown) => panel.error(as_problem(thrown), () => location.assign('/connect'));

function form() {
  panel.ready();
  fill(
    place,
    markup`
      <form class="formline">
      ${input('Code that the command shows', 'code', 'required maxlength="40" spellcheck="false"')}
      <button class="btn primary">Continue</button></form>
      <p class="hint">Run <code>wattline login</code> where access is needed. It shows a code, and this page says
      which machine asks and for what.</p>
    `,
  );
  on_submit($('#command form', HTMLFormElement), (values) => show(String(values.get('code'))));
}

/** @param {string} code */
async function show(code) {
  /** @type {[WaitingCommand, Me]} */
  const [command, me] = await Promise.all([get(path_of(code)), get('/me')]);
  panel.ready();
  $('#who').textContent = me.label;
  question(code.toUpperCase(), command, me);
}

const given = read('code');
if (given) show(given).catch(fail);
else form();
