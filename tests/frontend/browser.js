// The little of a browser that the pure modules need: an address, and an element that takes HTML.

/** @param {string} url */
export function visit(url) {
  Object.assign(globalThis, {
    location: new URL(url),
    history: {
      /**
       * @param {unknown} _state
       * @param {string} _title
       * @param {URL} to
       */
      replaceState: (_state, _title, to) => Object.assign(globalThis, { location: to }),
    },
  });
}
