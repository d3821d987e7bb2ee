// @ts-check
// The form "does it fit?": a model, a rack and a number, kept in the address.
//   const form = fit_form(asked, add, changed);   form.offer(view)   form.run()
import { read, write } from '../core/address.js';
import { as_problem, get, Problem } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { escape, markup } from '../core/markup.js';
import { fit_answer } from './fit.js';
import { Panel } from '../parts/panel.js';

/** @import { CapacityView } from '../answers.js' */

/** @typedef {[value: string, label: string]} Option */

/** @param {Problem} problem */
const refused = ({ detail, hint }) => markup`
  <div class="answer" role="status"><b class="cause">${escape(detail)}</b><span>${escape(hint)}</span></div>
`;

/**
 * @param {() => import('../core/api.js').Params} asked  basis, window and margin
 * @param {(rack: string, model: string, count: number) => void} add  use the question in what if
 * @param {() => void} changed  the selected rack may be another one
 */
export function fit_form(asked, add, changed) {
  const panel = $('#fit-panel', Panel);
  const form = $('#fit-ask', HTMLFormElement);
  /** @type {CapacityView | null} */
  let view = null;
  /** @param {string} name */
  const select = (name) => $(`select[name="${name}"]`, HTMLSelectElement, form);

  /**
   * @param {string} name
   * @param {Option[]} options
   */
  function offer_options(name, options) {
    const element = select(name);
    fill(element, options.map(([v, label]) => `<option value="${escape(v)}">${escape(label)}</option>`).join(''));
    element.value = options.some(([v]) => v === read(name)) ? read(name) : (options[0]?.[0] ?? '');
  }

  /** @param {CapacityView} answer */
  function offer(answer) {
    view = answer;
    const models = view.models.map((m) => /** @type {Option} */ ([m.key, m.label]));
    offer_options('model', [['', 'most common of the rack'], ...models]);
    offer_options(
      'rack',
      view.racks.map((r) => [r.key, [r.label, r.model].filter(Boolean).join(' · ')]),
    );
    $('input[name="count"]', HTMLInputElement, form).value = read('count');
  }

  async function run() {
    const rack = view?.racks.find((r) => r.key === read('rack')) ?? view?.racks[0];
    if (!rack) {
      const why = 'Racks, their capacity and their nodes are declared in the facility file.';
      panel.empty({ what: 'No racks', why });
      return;
    }
    const count = Math.min(200, Math.floor(Number(read('count')))) || null;
    const wanted = { ...asked(), model: read('model'), count };
    const mine = JSON.stringify([rack.key, wanted]);
    form.dataset.asked = mine;
    const answer = await get(`/capacity/racks/${encodeURIComponent(rack.key)}`, wanted).catch(as_problem);
    if (form.dataset.asked !== mine) return;
    panel.ready({ age: view?.window.label });
    const text = answer instanceof Problem ? refused(answer) : fit_answer(answer, { partial: rack.is_partial, count });
    fill($('#fit'), text);
  }

  form.addEventListener('change', ({ target }) => {
    const { name, value } = /** @type {HTMLInputElement} */ (target);
    write({ [name]: value || null });
    changed();
    run();
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  $('#try').addEventListener('click', () => {
    add(select('rack').value, select('model').value, Math.max(1, Math.floor(Number(read('count'))) || 1));
  });
  return { offer, run };
}
