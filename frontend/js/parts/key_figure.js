// @ts-check
import { escape, markup } from '../core/markup.js';

/**
 * A key figure: its label, its value as HTML, and what it is based on.
 * @param {string} label
 * @param {string} value
 * @param {string} basis
 * @param {boolean} [lead]  the first one, drawn larger
 */
export const key_figure = (label, value, basis, lead = false) => markup`
  <div class="kpi${lead ? ' lead' : ''}"><div class="k">${escape(label)}</div><div class="v">${value}</div>
  <div class="s" title="${escape(basis)}">${escape(basis)}</div></div>
`;
