// @ts-check
// The path below which a proxy serves Wattline (WATTLINE_PATH_PREFIX), '' without one.
//   Links of pages and answers are written from the root ('/jobs'); the browser's document gets them with the prefix.

const [before, after] = new URL(import.meta.url).pathname.split('/static/');

export const PREFIX = after === undefined ? '' : before;

/**
 * Return the address of a path of ours; the first page for what leads elsewhere ('//evil.example', '/.//evil.example').
 * @param {string} path
 * @param {string} origin
 */
export function own_address(path, origin) {
  const url = URL.canParse(path, origin) ? new URL(path, origin) : null;
  return `${origin}${PREFIX}${url?.origin === origin ? url.pathname + url.search : '/'}`;
}

const LINKS = ['a[href^="/"]', 'form[action^="/"]'].join();

/** @param {Element} element */
function complete(element) {
  const name = element instanceof HTMLFormElement ? 'action' : 'href';
  const path = element.getAttribute(name) ?? '';
  if (path !== PREFIX && !path.startsWith(`${PREFIX}/`)) element.setAttribute(name, PREFIX + path);
}

/** @param {MutationRecord[]} changes */
function changed(changes) {
  for (const { target, addedNodes } of changes) {
    if (target instanceof Element && target.matches(LINKS)) complete(target);
    for (const node of addedNodes) {
      if (!(node instanceof Element)) continue;
      if (node.matches(LINKS)) complete(node);
      node.querySelectorAll(LINKS).forEach(complete);
    }
  }
}

if (PREFIX) {
  document.querySelectorAll(LINKS).forEach(complete);
  const watched = { subtree: true, childList: true, attributeFilter: ['href', 'action'] };
  new MutationObserver(changed).observe(document, watched);
}
