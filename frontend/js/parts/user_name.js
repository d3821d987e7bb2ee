// @ts-check
// The name that a user gave last, kept by the browser.
const NAME = 'wattline-name';

export function stored_name() {
  try {
    return localStorage.getItem(NAME) ?? '';
  } catch {
    return '';
  }
}

/** @param {string} name */
export function store_name(name) {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    /* then the form asks again */
  }
}
