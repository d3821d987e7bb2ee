// @ts-check
// Downloads: files made in the browser, and text to the clipboard.

/** @typedef {{ columns: string[], rows: (string | number | null)[][] }} Table */

// A text that a spreadsheet would read as a formula gets an apostrophe, as in the files of the API.
/** @param {string} text */
const guarded = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** @param {string} text */
const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** @param {Table} table */
export function csv({ columns, rows }) {
  /** @param {string | number | null} v */
  const cell = (v) => (v === null ? '' : typeof v === 'string' ? quoted(guarded(v)) : v);
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
