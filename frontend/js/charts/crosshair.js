// @ts-check
// Shows the moment under the pointer in every chart of a page.

/** @import { Plot } from './figure.js' */

let is_shown_by_us = false;

/** Tell whether a hover is one that this module made. */
export const is_following = () => is_shown_by_us;

/**
 * Show a moment in other charts; null ends it.
 * @param {Plot[]} charts
 * @param {number | null} x
 */
export function follow(charts, x) {
  if (is_shown_by_us) return;
  is_shown_by_us = true;
  for (const chart of charts) {
    if (!chart.clientWidth) continue;
    if (x === null) Plotly.Fx.unhover(chart);
    else Plotly.Fx.hover(chart, { xval: x }, 'xy');
  }
  is_shown_by_us = false;
}
