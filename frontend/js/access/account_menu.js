// @ts-check
// The account at the right of the bar: who is signed in, own pages, signing out. Without anyone: a link to sign in.
import { as_problem, remove } from '../core/api.js';
import { fill } from '../core/dom.js';
import { escape, icon, markup } from '../core/markup.js';
import { menu } from '../parts/menu.js';
import { me as ask } from './me.js';

/** @import { Me } from '../answers.js' */

/** @param {string} label */
const initials = (label) =>
  label
    .split(/\s+/)
    .map((word) => word[0])
    .join('')
    .slice(0, 2)
    .toUpperCase();

/** @param {string} href */
const open = (href) => () => location.assign(href);

async function sign_out() {
  const { provider } = await remove('/session');
  location.assign(provider ?? '/sign-in');
}

/** @param {Me} me */
function entries(me) {
  const own = me.is_user ? [{ label: 'My energy', run: open('/my-energy') }] : [];
  const tokens = { label: me.is_user ? 'Tokens and password' : 'Tokens', run: open('/account') };
  const site = me.permissions.includes('admin') ? [null, { label: 'Users and audit log', run: open('/users') }] : [];
  const leave =
    me.how === 'session'
      ? { label: 'Sign out', run: sign_out }
      : { label: 'Sign in', run: open('/sign-in?next=' + encodeURIComponent(location.pathname)) };
  return [...own, tokens, ...site, null, leave];
}

/**
 * Add the account to the bar.
 * @param {Element} bar
 */
export async function add_account(bar) {
  /** @type {Me} */
  let me;
  try {
    me = await ask();
  } catch (thrown) {
    if (as_problem(thrown).status !== 401) return; // the server is away: the page says so
    const link = document.createElement('a');
    Object.assign(link, { className: 'link', href: '/sign-in', textContent: 'Sign in' });
    bar.append(link);
    return;
  }
  const element = menu(`${me.label}, ${me.roles.join(', ') || me.how}`, () => entries(me));
  const button = element.querySelector('button');
  if (button) {
    button.className = 'acct';
    fill(
      button,
      markup`
        <span class="av" aria-hidden="true">${me.is_user ? escape(initials(me.label)) : icon('user')}</span>
        <span class="nm">${escape(me.label)}</span>
      `,
    );
  }
  bar.append(element);
}
