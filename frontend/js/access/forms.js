// @ts-check
// Forms of the account and users pages: fields, sending, and a secret that is shown once.
import { as_problem } from '../core/api.js';
import { fill } from '../core/dom.js';
import { copy, toast } from '../core/export.js';
import { escape, markup } from '../core/markup.js';

/**
 * @param {string} label
 * @param {string} name
 * @param {string} [attributes]
 */
export const input = (label, name, attributes = '') => markup`
  <label class="labelled">${escape(label)}<span class="field"><input name="${name}" ${attributes}></span></label>
`;

/**
 * @param {string} name
 * @param {readonly string[]} options
 * @param {readonly string[]} [chosen]
 */
export const boxes = (name, options, chosen = []) =>
  options
    .map(
      (option) => markup`
        <label class="box"><input type="checkbox" name="${name}" value="${escape(option)}"
        ${chosen.includes(option) ? 'checked' : ''}> ${escape(option)}</label>
      `,
    )
    .join('');

/** @param {unknown} thrown */
export function report(thrown) {
  const { detail, hint } = as_problem(thrown);
  toast([detail, hint].filter(Boolean).join(': '));
}

/**
 * Call `send` with the values of a form when it is sent; errors are shown.
 * @param {HTMLFormElement} form
 * @param {(values: FormData) => Promise<void>} send
 */
export function on_submit(form, send) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(new FormData(form)).catch(report);
  });
}

/**
 * Show a secret that the server does not show again, with a button to copy it.
 * @param {Element} place
 * @param {string} text
 * @param {string} about
 */
export function show_once(place, text, about) {
  const line = document.createElement('p');
  line.className = 'secret';
  line.setAttribute('role', 'status');
  fill(
    line,
    markup`
      <span>${escape(about)}</span><code>${escape(text)}</code><button class="btn" type="button">Copy</button>
    `,
  );
  line.querySelector('button')?.addEventListener('click', () => copy(text));
  place.querySelector('.secret')?.remove();
  place.append(line);
}
