// @ts-check
// The table of API tokens, own or of everybody, with a button to revoke each.
import { remove } from '../core/api.js';
import { fill } from '../core/dom.js';
import { moment } from '../core/format.js';
import { escape, markup } from '../core/markup.js';
import { report } from './forms.js';

/** @import { Token } from '../answers.js' */

/** @param {Token} token */
function state({ revoked, until }) {
  if (revoked) return 'revoked';
  if (until && Date.parse(until) <= Date.now()) return 'expired';
  return until ? `until ${moment(until, Date.now())}` : 'until revoked';
}

/** @param {Token} token */
const limit = ({ collector, cluster, user }) =>
  [collector && `collector ${collector}`, cluster && `cluster ${cluster}`, user && `jobs of ${user}`]
    .filter(Boolean)
    .join(', ');

/** @param {Token} token */
const row = (token) => markup`
  <tr><td>${escape(token.name)}<small class="line">${escape(limit(token))}</small></td>
  <td><code>${escape(token.prefix)}…</code></td><td class="hide-s">${escape(token.owner ?? 'machine')}</td>
  <td>${escape(token.scopes.join(', '))}</td>
  <td class="hide-s">${token.used ? moment(token.used, Date.now()) : 'never'}</td><td>${escape(state(token))}</td>
  <td class="num">
  ${token.revoked ? '' : `<button class="btn" type="button" data-id="${token.id}">Revoke</button>`}</td></tr>
`;

/**
 * @param {HTMLElement} table
 * @param {Token[]} tokens
 * @param {() => void} changed
 */
export function tokens_table(table, tokens, changed) {
  fill(
    table,
    markup`
      <thead><tr><th scope="col">For</th><th scope="col">Begins with</th><th scope="col" class="hide-s">Owner</th>
      <th scope="col">Scopes</th><th scope="col" class="hide-s">Last used</th><th scope="col">Valid</th>
      <th scope="col"><span class="vh">Action</span></th></tr></thead><tbody>${tokens.map(row).join('')}</tbody>
    `,
  );
  table.onclick = ({ target }) => {
    const id = /** @type {Element} */ (target).closest('button')?.dataset.id;
    if (id) remove(`/tokens/${id}`).then(changed, report);
  };
}
