// @ts-check
// The search over the facility, jobs and users: a dialog with one field and a list, loaded when it is opened.
// Arrow keys, Home and End choose, Enter opens, with Ctrl in a new tab, Escape closes. A page may use a result instead
// of opening it: it calls preventDefault on the event `wl-found` { kind, key }.
import { as_problem, get } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { escape, icon, markup } from '../core/markup.js';
import { results } from './results.js';

/** @import { SearchView } from '../answers.js' */
/** @import { PageLink } from './results.js' */

const WAIT_MS = 120;
const dialog = document.createElement('dialog');
/** @type {PageLink[]} */
let pages = [];
let latest = 0; // answers to older words are dropped
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

function build() {
  dialog.className = 'palette';
  dialog.setAttribute('aria-label', 'Search');
  fill(
    dialog,
    markup`
      <div class="pfield">${icon('search')}<input type="text" role="combobox"
      aria-label="Search racks, nodes, devices, jobs, users" aria-expanded="true" aria-controls="found"
      aria-autocomplete="list" autocomplete="off" spellcheck="false" maxlength="100"
      placeholder="Rack, room, node, device, outlet, job, user or page">
      <button class="iconbtn" type="button" aria-label="Close the search">${icon('x')}</button></div>
      <div class="found" id="found" role="listbox" aria-label="Results"></div>
      <p class="nothing" hidden></p><span class="vh" role="status"></span>
      <footer aria-hidden="true"><kbd>↑</kbd><kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close</footer>
    `,
  );
  document.body.append(dialog);
  field().addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, WAIT_MS);
  });
  dialog.addEventListener('keydown', press);
  dialog.addEventListener('click', click);
}

const field = () => $('input', HTMLInputElement, dialog);
const options = () => [...dialog.querySelectorAll('[role="option"]')].filter((x) => x instanceof HTMLAnchorElement);
const chosen = () => options().find((one) => one.getAttribute('aria-selected') === 'true');

/** @param {number} at */
function choose(at) {
  const all = options();
  const wanted = all.at(at >= all.length ? 0 : Math.max(at, -1));
  for (const one of all) one.setAttribute('aria-selected', String(one === wanted));
  if (wanted) field().setAttribute('aria-activedescendant', wanted.id);
  else field().removeAttribute('aria-activedescendant');
  wanted?.scrollIntoView({ block: 'nearest' });
}

/** @param {KeyboardEvent} event */
function press(event) {
  event.stopPropagation(); // the keys of the page do not act behind the dialog
  const all = options();
  const at = all.findIndex((one) => one === chosen());
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  const edits = (event.key === 'Home' || event.key === 'End') && field().value;
  if (to !== undefined && !edits) {
    event.preventDefault();
    choose(to);
  } else if (event.key === 'Enter' && event.target === field()) {
    event.preventDefault();
    if (timer) search().then(() => take(event.ctrlKey || event.metaKey));
    else take(event.ctrlKey || event.metaKey);
  }
}

/** @param {boolean} aside */
function take(aside) {
  const link = chosen();
  if (!link || used(link)) return;
  if (aside) window.open(link.href);
  else location.assign(link.href);
}

/** @param {HTMLElement} link */
function used(link) {
  const { kind, key } = link.dataset;
  if (!kind) return false;
  const event = new CustomEvent('wl-found', { detail: { kind, key: key ?? '' }, cancelable: true });
  if (document.dispatchEvent(event)) return false;
  dialog.close();
  return true;
}

/** @param {MouseEvent} event */
function click(event) {
  const target = /** @type {Element} */ (event.target);
  if (target === dialog || target.closest('.iconbtn')) dialog.close();
  /** @type {HTMLElement | null} */
  const link = target.closest('[role="option"]');
  if (link && !event.ctrlKey && !event.metaKey && used(link)) event.preventDefault();
}

async function search() {
  clearTimeout(timer);
  timer = undefined;
  const mine = (latest += 1);
  const q = field().value.trim();
  if (!q) {
    paint(null, q);
    return;
  }
  try {
    const answer = await get('/search', { q });
    if (mine === latest) paint(answer, q);
  } catch (thrown) {
    const { detail, hint } = as_problem(thrown);
    if (mine === latest) paint(null, q, [detail, hint].filter(Boolean).join(': '));
  }
}

/**
 * @param {SearchView | null} answer
 * @param {string} q
 * @param {string} [failure]
 */
function paint(answer, q, failure = '') {
  fill($('.found', HTMLElement, dialog), results(answer, pages, q));
  const n = options().length;
  const nothing = $('.nothing', HTMLElement, dialog);
  nothing.hidden = n > 0 && !failure;
  fill(nothing, failure ? `${icon('crit', 'crit')} ${escape(failure)}` : `Nothing matches “${escape(q)}”.`);
  $('[role="status"]', HTMLElement, dialog).textContent = q ? `${n} results` : '';
  choose(0);
}

/** @param {PageLink[]} known */
export function open_palette(known) {
  pages = known;
  if (!dialog.isConnected) build();
  if (dialog.open) return;
  field().value = '';
  paint(null, '');
  dialog.showModal();
  field().focus();
}
