// @ts-check
// How a collector signs in at a new device: an auth of the facility, or the fields of a new one.
// Secrets are references.
import { input } from '../access/forms.js';
import { escape, markup } from '../core/markup.js';
import { given } from './facility_lines.js';

/** @import { Keys } from './facility_lines.js' */

const NAME = 'autocomplete="off" spellcheck="false"';
const REFERENCE = `required placeholder="env:NAME or secret:NAME" ${NAME}`;

/**
 * @param {string} label
 * @param {string} name
 * @param {string[]} options
 */
const choice = (label, name, options) => markup`
  <label class="labelled">${label}<select name="${name}">
  ${options.map((one) => `<option>${one}</option>`).join('')}</select></label>
`;

/** @type {Record<string, { label: string, fields: () => string, settings: (form: FormData) => Keys }>} */
const NEW = {
  community: {
    label: 'SNMP v2c community …',
    fields: () => choice('Version', 'snmp', ['2c', '1']) + input('Community', 'community', REFERENCE),
    settings: (form) => given({ snmp: text(form, 'snmp'), community: text(form, 'community') }),
  },
  user: {
    label: 'SNMPv3 user …',
    fields: () =>
      [
        input('User', 'user', `required ${NAME}`),
        choice('Authentication', 'auth', ['sha256', 'sha512', 'sha384', 'sha224', 'sha1']),
        input('Authentication password', 'auth_password', REFERENCE),
        choice('Encryption', 'priv', ['aes128', 'aes256', 'aes192', 'aes256c', 'aes192c', 'none']),
        input('Encryption password', 'priv_password', REFERENCE.replace('required ', '')),
      ].join(''),
    settings: user_settings,
  },
  web: {
    label: 'User and password (BMC, web interface) …',
    fields: () =>
      [
        input('User', 'user', `required ${NAME}`),
        input('Password', 'password', REFERENCE),
        choice('Certificate', 'insecure', ['checked', 'not checked: any host can impersonate it']),
      ].join(''),
    settings: (form) =>
      given({
        user: text(form, 'user'),
        password: text(form, 'password'),
        insecure: text(form, 'insecure').startsWith('not') ? true : undefined,
      }),
  },
  token: {
    label: 'Token (exporter) …',
    fields: () => input('Token', 'token', REFERENCE),
    settings: (form) => given({ token: text(form, 'token') }),
  },
};

/**
 * @param {FormData} form
 * @param {string} name
 */
export const text = (form, name) => String(form.get(name) ?? '').trim();

/** @param {FormData} form */
function user_settings(form) {
  const priv = text(form, 'priv');
  const encrypted = priv === 'none' ? {} : { priv, priv_password: text(form, 'priv_password') };
  return given({
    snmp: '3',
    user: text(form, 'user'),
    auth: text(form, 'auth'),
    auth_password: text(form, 'auth_password'),
    ...encrypted,
  });
}

/** @param {string[]} auths  keys of the facility's auths */
export const sign_in_options = (auths) => markup`
  <option value="">None, or SNMP with community "public"</option>
  ${auths.map((key) => `<option value="auth:${escape(key)}">${escape(key)} (of the facility)</option>`).join('')}
  ${Object.entries(NEW)
    .map(([value, { label }]) => `<option value="${value}">${label}</option>`)
    .join('')}
`;

/** @param {string} chosen */
export const sign_in_fields = (chosen) => NEW[chosen]?.fields() ?? '';

/**
 * Return the body of a probe for what was chosen.
 * @param {FormData} form
 * @returns {{ auth?: string, settings?: Keys }}
 */
export function sign_in(form) {
  const chosen = text(form, 'sign_in');
  if (chosen.startsWith('auth:')) return { auth: chosen.slice(5) };
  const fresh = NEW[chosen];
  return fresh ? { settings: fresh.settings(form) } : {};
}
