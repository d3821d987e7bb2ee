// @ts-check
// What the pages before signing in share: the frame, a form, and where one goes afterwards.
import { as_problem } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { escape, icon, markup } from '../core/markup.js';
import { own_address } from '../core/prefix.js';

/** @param {unknown} thrown */
export function show_fault(thrown) {
  const { detail, hint } = as_problem(thrown);
  const sentence = [detail, hint].filter(Boolean).join('; ');
  $('#fault').textContent = `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/**
 * Fill the frame, then the page.
 * @param {() => Promise<void>} page
 */
export function frame(page) {
  fill($('#brand'), `${icon('wl')}Wattline`);
  fill($('#theme'), icon('theme'));
  $('#theme').addEventListener('click', () => document.dispatchEvent(new Event('wl-theme-toggle')));
  page().catch(show_fault);
}

/**
 * @param {string} label
 * @param {string} name
 * @param {string} type
 * @param {string} autocomplete
 */
export const field = (label, name, type, autocomplete) => markup`
  <label>${escape(label)}<span class="field"><input name="${name}" type="${type}" autocomplete="${autocomplete}"
  spellcheck="false" autocapitalize="none" required></span></label>
`;

/**
 * Return what a form holds, and a function that sends it and returns whether that succeeded; an error is shown.
 * @param {SubmitEvent} event
 */
export function submit(event) {
  event.preventDefault();
  const form = event.target;
  if (!(form instanceof HTMLFormElement)) return null;
  const button = $('button', HTMLButtonElement, form);
  /** @type {[string, string][]} */
  const values = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  return {
    values,
    /** @param {() => Promise<unknown>} request */
    send: async (request) => {
      button.disabled = true;
      $('#fault').textContent = '';
      try {
        await request();
        return true;
      } catch (thrown) {
        show_fault(thrown);
        return false;
      } finally {
        button.disabled = false;
      }
    },
  };
}

/** Go to the page that asked for signing in; never to another site. */
export function leave() {
  location.assign(own_address(new URLSearchParams(location.search).get('next') ?? '/', location.origin));
}
