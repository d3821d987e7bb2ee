// @ts-check
import { escape, markup } from '../core/markup.js';
import { aged } from '../live/ages.js';

/** @import { When } from '../answers.js' */

/**
 * A key figure: its label, its value as HTML, and what it is based on.
 * @param {string} label
 * @param {string} value
 * @param {string} basis
 * @param {boolean} [lead]  the first one, drawn larger
 * @param {When | null} [t]  when it was read: its age follows the basis
 */
export const key_figure = (label, value, basis, lead = false, t = null) => markup`
  <div class="kpi${lead ? ' lead' : ''}"><div class="k">${escape(label)}</div><div class="v">${value}</div>
  <div class="s" title="${escape(basis)}">${[escape(basis), t === null ? '' : aged(t)]
    .filter(Boolean)
    .join(', ')}</div></div>
`;
