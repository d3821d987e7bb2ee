// A menu behind the three dots: arrow keys, Home, End, Escape, Tab closes. Items: { label, hint?, run() } or null for a rule.
import { escape, icon } from '../core/format.js';

let open = null;                                               // the button whose menu stands open

function close(focus = false) {
  if (!open) return;
  open.nextElementSibling.hidden = true;
  open.setAttribute('aria-expanded', 'false');
  if (focus) open.focus();
  open = null;
}

function step(list, key) {
  const items = [...list.querySelectorAll('[role^="menuitem"]')];
  const at = items.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[key];
  items.at(to >= items.length ? 0 : Math.max(to, -1)).focus();
}

function keys(event, list) {
  if (['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key)) { event.preventDefault(); step(list, event.key); }
  if (event.key === 'Escape') { event.stopPropagation(); close(true); }
  if (event.key === 'Tab') close();
}

// The element of a menu. `items` is called each time it opens, so that it offers only what works now.
export function menu(name, items) {
  const element = document.createElement('div');
  element.className = 'menu';
  element.innerHTML = `<button class="iconbtn" aria-haspopup="menu" aria-expanded="false" aria-label="Menu: ${escape(name)}">${icon('dots')}</button>
    <div class="pop" role="menu" hidden></div>`;
  const [button, list] = element.children;
  const show = () => {
    close();
    list.replaceChildren(...items().map(item));
    list.hidden = false;
    button.setAttribute('aria-expanded', 'true');
    open = button;
    step(list, 'Home');
  };
  button.addEventListener('click', () => (open === button ? close() : show()));
  button.addEventListener('keydown', (e) => { if (e.key === 'ArrowDown') { e.preventDefault(); show(); } });
  list.addEventListener('keydown', (e) => keys(e, list));
  return element;
}

function item(entry) {
  if (!entry) return document.createElement('hr');
  const element = document.createElement('button');
  element.type = 'button';
  element.setAttribute('role', 'menuitem');
  element.tabIndex = -1;
  element.innerHTML = `${escape(entry.label)}<small>${escape(entry.hint ?? '')}</small>`;
  element.addEventListener('click', () => { close(true); entry.run(); });
  return element;
}

document.addEventListener('pointerdown', (e) => { if (open && !open.parentElement.contains(e.target)) close(); });
