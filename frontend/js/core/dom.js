// @ts-check
/**
 * Return the element of this page that a selector names. It throws where there is none, or one of another class:
 * that is a mistake in the page.
 *   $('#note').textContent = 'x'   $('#rack', HTMLSelectElement).value   $('#power-panel', Panel).ready()
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} selector
 * @param {new () => E} [kind]
 * @param {ParentNode} [root]
 * @returns {E}
 */
export function $(selector, kind, root = document) {
  const found = root.querySelector(selector);
  if (!found || (kind && !(found instanceof kind))) throw new Error(`no ${kind?.name ?? 'element'} ${selector}`);
  return /** @type {E} */ (found);
}

/** @typedef {HTMLInputElement | HTMLTextAreaElement} TextField */

/** @type {WeakMap<Element, { html: string, inside: string }>} */
const filled = new WeakMap();

/** @param {Element} field  an input, textarea or select */
function is_as_written(field) {
  if (field instanceof HTMLSelectElement)
    return (
      field.selectedIndex ===
      Math.max(
        0,
        [...field.options].findIndex((one) => one.defaultSelected),
      )
    );
  const { type, value, defaultValue, checked, defaultChecked } = /** @type {HTMLInputElement} */ (field);
  return ['checkbox', 'radio'].includes(type) ? checked === defaultChecked : value === defaultValue;
}

/** @param {Element} element @param {string} html */
function holds(element, html) {
  const last = filled.get(element);
  if (last?.html !== html || last.inside !== element.innerHTML) return false;
  return [...element.querySelectorAll('input, textarea, select')].every(is_as_written);
}

/**
 * Replace what is inside an element; the control that has the focus keeps it. An element that still holds this HTML is
 * left alone and the answer is false: listeners of its parts are connected only when it is true.
 * @param {Element} element
 * @param {string} html
 * @returns {boolean}
 */
export function fill(element, html) {
  if (holds(element, html)) return false;
  keep_focus(element, () => {
    element.innerHTML = html;
  });
  filled.set(element, { html, inside: element.innerHTML });
  return true;
}

const CONTROLS = 'a[href], button, input, select, textarea, summary, [tabindex]';
const NAMES = new Set(['id', 'name', 'href', 'aria-label']);

/**
 * Return the attributes by which a control is recognised after a repaint, its own and those around it.
 * @param {Element} control
 * @param {Element} root
 */
export function marks(control, root) {
  const found = [control.tagName];
  for (let at = control; at !== root && at.parentElement; at = at.parentElement)
    for (const name of at.getAttributeNames())
      if (NAMES.has(name) || name.startsWith('data-')) found.push(`${name}=${at.getAttribute(name)}`);
  return found;
}

/**
 * Return the index of the control that shares most marks with one that is gone, of several the nearest to its place;
 * -1 of none.
 * @param {{ at: number, marks: string[] }} gone
 * @param {string[][]} controls
 */
export function most_alike({ at, marks: wanted }, controls) {
  const alike = controls.map((own) => wanted.filter((mark) => own.includes(mark)).length);
  const most = Math.max(...alike);
  return alike.reduce(
    (best, n, i) => (n === most && (best < 0 || Math.abs(i - at) < Math.abs(best - at)) ? i : best),
    -1,
  );
}

/**
 * Change what is inside an element, then give the focus back to the same control: the one with the same id, name,
 * address, data or label, else the one in its place. The page does not scroll; a text field keeps text and caret.
 * @param {Element} root
 * @param {() => void} change
 */
export function keep_focus(root, change) {
  const old = document.activeElement;
  const controls = () => [...root.querySelectorAll(CONTROLS)];
  const at = old && old !== root && root.contains(old) ? controls().indexOf(old) : -1;
  if (!old || at < 0) {
    change();
    return;
  }
  const gone = { at, marks: marks(old, root) };
  change();
  if (old.isConnected) return;
  const now = controls();
  const control =
    now[
      most_alike(
        gone,
        now.map((one) => marks(one, root)),
      )
    ];
  if (control instanceof HTMLElement) control.focus({ preventScroll: true });
  if (is_text(old) && is_text(control)) take_text(old, control);
}

/** @param {Element} element @returns {element is TextField} */
const is_text = (element) => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

/** @param {TextField} from @param {TextField} to */
function take_text(from, to) {
  if (from.value !== from.defaultValue) to.value = from.value;
  if (from.selectionStart !== null) to.setSelectionRange(from.selectionStart, from.selectionEnd);
}
