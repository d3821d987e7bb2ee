// @ts-check
// The popover of the time bar: often used windows, two fields for plain words, two months.
// Nothing changes before Apply.
import { fill } from '../core/dom.js';
import { now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { month } from './calendar.js';
import { DAY, in_full, length, parse, typed, utc_text, wall } from './when.js';
import { place, zone_name } from './zone.js';

/** @import { Span } from './when.js' */
/** @import { WindowState } from './window_state.js' */

const OFTEN = ['Today', 'Yesterday', 'This week', 'Last week', 'This month', 'Last month', 'This year'];

/**
 * @param {WindowState} state
 * @param {{ apply: (span: Span) => void, close: () => void }} actions
 */
export function open_popover(state, { apply, close }) {
  const zone = zone_name();
  const now = now_ms();
  let texts = [typed(state.span[0], zone), state.preset ? 'now' : typed(state.span[1], zone)];
  /** @type {number | null} */
  let first = null;
  const last_day = wall(state.span[1] - 1, zone);
  let view = { year: last_day.getUTCFullYear(), month: last_day.getUTCMonth() };
  const element = document.createElement('div');
  element.className = 'timepop';
  element.setAttribute('role', 'dialog');
  element.setAttribute('aria-label', 'Choose a window');

  /** @returns {[number | null, number | null]} */
  const ends = () => [parse(texts[0], zone, now)?.[0] ?? null, parse(texts[1], zone, now)?.[1] ?? null];

  /** @returns {Span | null} */
  function span() {
    const [start, end] = ends();
    return start !== null && end !== null && start < end ? [start, end] : null;
  }

  function paint() {
    const chosen = span() ?? state.span;
    /** @type {[number, number]} */
    const on_wall = [wall(chosen[0], zone).getTime(), wall(chosen[1], zone).getTime()];
    const before = new Date(Date.UTC(view.year, view.month - 1, 1));
    const common = { span: on_wall, zone, now };
    const left = { ...common, year: before.getUTCFullYear(), month: before.getUTCMonth() };
    fill(
      element,
      markup`
        <div class="quick"><h3>Often used</h3>
        ${OFTEN.map((text) => `<button type="button" data-text="${text}">${text}</button>`).join('')}</div>
        <form class="pick"><div class="fromto">${field('From', texts[0])}${field('To', texts[1])}</div>
        <div class="cals">${month(left, 'left')}${month({ ...common, ...view }, 'right')}</div>
        <div class="calkey"><span><i class="kdst"></i>day of 23 or 25 hours (clocks change)</span></div>
        <div class="popfoot"><span class="soft" data-part="length"></span>
        <button class="btn" type="button" data-act="cancel">Cancel</button>
        <button class="btn prim" type="submit">Apply</button></div></form>
      `,
    );
    hints();
  }

  function hints() {
    const inputs = [...element.querySelectorAll('input')];
    const read = ends();
    const chosen = span();
    inputs.forEach((input, i) => {
      const at = read[i];
      const output = input.closest('.when')?.querySelector('output');
      const reversed = i === 1 && at !== null && read[0] !== null && !chosen;
      input.setAttribute('aria-invalid', String(at === null || reversed));
      if (!output) return;
      output.className = at === null || reversed ? 'crit' : 'soft';
      if (at === null) fill(output, `${icon('crit')} Not understood. Try “yesterday”, “1 Nov 08:00” or “6 h ago”.`);
      else fill(output, reversed ? `${icon('crit')} This is not after the start.` : escape(in_full(at, zone)));
    });
    const submit = element.querySelector('[type="submit"]');
    if (submit instanceof HTMLButtonElement) submit.disabled = !chosen;
    const foot = element.querySelector('[data-part="length"]');
    const where = `${place(zone)}${zone === 'UTC' ? '' : ` (${utc_text(now, zone)})`}`;
    if (foot) fill(foot, chosen ? `<b>${length(chosen[1] - chosen[0])}</b> · ${escape(where)}` : escape(where));
  }

  /** @param {number} day */
  function pick(day) {
    const [a, b] = first === null ? [day, day] : [Math.min(first, day), Math.max(first, day)];
    first = first === null ? day : null;
    /** @param {number} at */
    const text = (at) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
    texts = [text(a), b + DAY > wall(now, zone).getTime() ? 'now' : text(b + DAY)];
    paint();
  }

  element.addEventListener('input', () => {
    texts = [...element.querySelectorAll('input')].map((input) => input.value);
    hints();
  });
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    const chosen = span();
    if (chosen) apply(chosen);
  });
  element.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Escape') close();
  });
  element.addEventListener('click', ({ target }) => {
    const button = /** @type {Element} */ (target).closest('button');
    if (!button) return;
    const { text, day, step, act } = button.dataset;
    const said = text && parse(text, zone, now);
    if (said) apply(said);
    else if (day) pick(Number(day));
    else if (step) {
      const moved = new Date(Date.UTC(view.year, view.month + Number(step), 1));
      view = { year: moved.getUTCFullYear(), month: moved.getUTCMonth() };
      paint();
    } else if (act === 'cancel') close();
  });
  /** @param {PointerEvent} event */
  const outside = ({ target }) => {
    if (!element.parentElement?.contains(/** @type {Node} */ (target))) close();
  };
  document.addEventListener('pointerdown', outside);
  paint();
  return {
    element,
    focus: () => {
      const input = element.querySelector('input');
      input?.focus();
      input?.select();
    },
    remove: () => {
      document.removeEventListener('pointerdown', outside);
      element.remove();
    },
  };
}

/**
 * @param {string} name
 * @param {string} value
 */
const field = (name, value) => markup`
  <label class="when"><span>${name}</span><span class="field"><input value="${escape(value)}" spellcheck="false"
  autocomplete="off"></span><output></output></label>
`;
