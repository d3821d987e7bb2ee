// @ts-check
// The name with which alerts are acknowledged and silenced: the user's, without an account the one given last, which
// the browser keeps.
import { me } from '../access/me.js';

const NAME = 'wattline-name';
let user = '';

me().then(
  ({ is_user, name }) => {
    if (is_user) user = name;
  },
  () => {},
);

/** @returns {string} attribute of a field that asks for the name: the server takes that of a signed-in user */
export const hidden_if_signed_in = () => (user ? 'hidden' : '');

export function stored_name() {
  if (user) return user;
  try {
    return localStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}

/** @param {string} name */
export function store_name(name) {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    /* then the form asks again */
  }
}
