// @ts-check
// Downloads: files made in the browser, and text to the clipboard.

/** @typedef {{ columns: string[], rows: (string | number | null)[][] }} Table */

// A text that a spreadsheet would read as a formula gets an apostrophe, as in the files of the API.
/** @param {string} text */
const guarded = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** @param {string} text */
const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Nine significant digits, as in the files of the API: none before the decimal point is lost, and what is below 1 never
// becomes 1.
/** @param {number} x */
function rounded(x) {
  if (!Number.isFinite(x) || Number.isInteger(x)) return x;
  const found = Math.abs(x) >= 1e9 ? Math.round(x) : Number(x.toPrecision(9));
  return Math.abs(x) < 1 && Math.abs(found) >= 1 ? Math.sign(x) * 0.999999999 : found;
}

/** @param {Table} table */
export function csv({ columns, rows }) {
  /** @param {string | number | null} v */
  const cell = (v) => (v === null ? '' : typeof v === 'string' ? quoted(guarded(v)) : rounded(v));
  return [columns, ...rows]
    .map((r) => r.map(cell).join(','))
    .join('\n')
    .concat('\n');
}

/**
 * Save text as a file.
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export const save = (name, text, type) => save_blob(name, new Blob([text], { type }));

/**
 * @param {string} name
 * @param {Blob} blob
 */
export function save_blob(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied');
  } catch {
    prompt('Copy this text', text); // a page over plain http from another machine has no access to the clipboard
  }
}

/** @param {string} text */
export function toast(text) {
  const note = Object.assign(document.createElement('div'), { className: 'toast', role: 'status', textContent: text });
  document.body.append(note);
  setTimeout(() => note.remove(), 1800);
}
