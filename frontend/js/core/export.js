// Taking data away: files made in the browser, text to the clipboard.
export function csv({ columns, rows }) {
  const cell = (v) => (v === null ? '' : /[",\n]/.test(v) ? `"${String(v).replaceAll('"', '""')}"` : v);
  return [columns, ...rows].map((r) => r.map(cell).join(',')).join('\n').concat('\n');
}

export function save(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast('Copied');
  } catch {
    prompt('Copy this text', text);                            // the clipboard is closed to plain http on another machine
  }
}

export function toast(text) {
  const note = Object.assign(document.createElement('div'), { className: 'toast', role: 'status', textContent: text });
  document.body.append(note);
  setTimeout(() => note.remove(), 1800);
}
