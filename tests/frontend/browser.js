// The little of a browser that the pure modules need: an address, and an element that takes HTML.

/** @param {string} url */
export function visit(url) {
  /** @type {string[]} */
  const entries = [];
  /**
   * @param {unknown} _state
   * @param {string} _title
   * @param {URL} to
   */
  const replaceState = (_state, _title, to) => Object.assign(globalThis, { location: to });
  /**
   * @param {unknown} state
   * @param {string} title
   * @param {URL} to
   */
  const pushState = (state, title, to) => {
    entries.push(to.href);
    replaceState(state, title, to);
  };
  Object.assign(globalThis, { location: new URL(url), history: { replaceState, pushState } });
  return entries;
}
