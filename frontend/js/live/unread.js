// @ts-check
// What a page leaves out because the database cannot read it now: a bar names it, and goes when it can be read again.
//   Listens to `wl-unread` { unread } of js/core/refresh.js.
import { fill } from '../core/dom.js';
import { escape, icon, markup } from '../core/markup.js';

/** @import { Unread } from '../answers.js' */

const MOST_NAMES = 12;
const NAMED_IN_TEXT = 2;

/**
 * Return the links to the devices that the text only counts.
 * @param {Unread} unread
 */
export function unread_links({ devices }) {
  if (devices.length <= NAMED_IN_TEXT) return '';
  const links = devices
    .slice(0, MOST_NAMES)
    .map((key) => `<a class="link" href="/devices/${encodeURIComponent(key)}">${escape(key)}</a>`);
  return `${links.join(', ')}${devices.length > MOST_NAMES ? ' …' : ''}`;
}

/** @param {HTMLElement} after  the bar is placed behind it */
export function watch_unread(after) {
  const bar = Object.assign(document.createElement('div'), { className: 'unread-bar', id: 'unread', hidden: true });
  bar.setAttribute('role', 'status');
  after.after(bar);
  document.addEventListener('wl-unread', ({ detail: { unread } }) => {
    bar.hidden = !unread;
    if (!unread) return;
    fill(
      bar,
      markup`
        ${icon('lost')}<span class="text">${escape(unread.text)} ${unread_links(unread)}</span>
      `,
    );
  });
}
