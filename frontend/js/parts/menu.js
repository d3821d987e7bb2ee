// @ts-check
// A menu behind the three dots: arrow keys, Home, End, Escape and Tab work. Entries: { label, hint?, run() }, or null
// for a rule between groups.
import { fill } from '../core/dom.js';
import { escape, icon, markup } from '../core/markup.js';

/** @typedef {{ label: string, hint?: string, run: () => void }} Entry */

/** @type {{ button: HTMLElement, list: HTMLElement } | null} */
let open = null;

function close(focus = false) {
  if (!open) return;
  open.list.hidden = true;
  open.button.setAttribute('aria-expanded', 'false');
  if (focus) open.button.focus();
  open = null;
}

/**
 * @param {HTMLElement} list
 * @param {string} key
 */
function step(list, key) {
  /** @type {HTMLElement[]} */
  const items = [...list.querySelectorAll('[role^="menuitem"]')].filter((x) => x instanceof HTMLElement);
  const at = items.findIndex((x) => x === document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key] ?? 0;
  items.at(to >= items.length ? 0 : Math.max(to, -1))?.focus();
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} list
 */
function keys(event, list) {
  if (['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key)) {
    event.preventDefault();
    step(list, event.key);
  }
  if (event.key === 'Escape') {
    event.stopPropagation();
    close(true);
  }
  if (event.key === 'Tab') close();
}

/**
 * Return the element of a menu. `items` is called each time it opens, so that it offers only what works now.
 * @param {string} name
 * @param {() => (Entry | null)[]} items
 */
export function menu(name, items) {
  const element = document.createElement('div');
  element.className = 'menu';
  fill(
    element,
    markup`
      <button class="iconbtn" aria-haspopup="menu" aria-expanded="false"
      aria-label="Menu: ${escape(name)}">${icon('dots')}</button>
      <div class="pop" role="menu" hidden></div>
    `,
  );
  const [button, list] = /** @type {[HTMLElement, HTMLElement]} */ (/** @type {unknown} */ ([...element.children]));
  const show = () => {
    close();
    list.replaceChildren(...items().map(item));
    list.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    open = { button, list };
    step(list, 'Home');
  };
  button.addEventListener('click', () => (open?.button === button ? close() : show()));
  button.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') {
      event.preventDefault();
      show();
    }
  });
  list.addEventListener('keydown', (event) => keys(event, list));
  return element;
}

/** @param {Entry | null} entry */
function item(entry) {
  if (!entry) return document.createElement('hr');
  const element = document.createElement('button');
  element.type = 'button';
  element.setAttribute('role', 'menuitem');
  element.tabIndex = -1;
  fill(element, `${escape(entry.label)}<small>${escape(entry.hint ?? '')}</small>`);
  element.addEventListener('click', () => {
    close(true);
    entry.run();
  });
  return element;
}

document.addEventListener('pointerdown', ({ target }) => {
  if (open && !open.button.parentElement?.contains(/** @type {Node} */ (target))) close();
});
