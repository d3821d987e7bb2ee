// @ts-check
// The curve of the facility in the window of the page, and what it is compared with.
import { path } from '../core/api.js';
import { $ } from '../core/dom.js';
import { curve_files } from '../time/curve_files.js';
import { comparison, paint_compared } from '../time/week_before.js';
import { escape } from '../core/markup.js';
import { requested_window, with_window } from '../time/window.js';

/** @import { FacilityView, Figure } from '../answers.js' */

/**
 * @param {import('./panel.js').Panel} panel
 * @param {FacilityView} view
 * @param {import('../charts/figure.js').Zoom} zoom
 */
export function paint_site_curve(panel, { figures: { day }, site, title }, zoom) {
  const source = path('/facility', requested_window());
  /**
   * @param {Figure} figure
   * @param {string} note
   */
  const show = (figure, note) => {
    panel.figure($('#day'), figure, { source, zoom });
    panel.ready({ heading: title });
    $('#day-notes').textContent = note;
  };
  if (site.key === null) show(day, comparison() ? 'Of several sites there is no common curve: see Explore.' : '');
  else {
    panel.actions = curve_files(`/sites/${encodeURIComponent(site.key)}/curve`);
    paint_compared(day, `/sites/${encodeURIComponent(site.key)}/curve`, {}, show);
  }
}

/**
 * Return the name of a room as a link to its curve.
 * @param {string} room
 * @param {string} label
 */
export const room_link = (room, label) =>
  room && `<a href="${escape(with_window('/explore', { s: `room/${room}` }))}" title="Its curve">${escape(label)}</a>`;
