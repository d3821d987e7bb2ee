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
