// @ts-check
// <wl-time>: one window for the whole page.
// Presets · back, window, forward, zoom out · comparison · live or paused · zone. Its state is the address (window.js).
//   <wl-time usual="all" presets="all 24h yesterday" plain>   other windows; plain: a page of lists, nothing to compare
// Keys: T opens, Shift and arrows step, Z zooms out, C compares, L is live or paused.
import { show_zone } from '../charts/figure.js';
import { fill } from '../core/dom.js';
import { now_ms } from '../core/live.js';
import { escape, icon, markup } from '../core/markup.js';
import { open_popover } from './popover.js';
import { day_month, hour_minute, instant, length, offset, parse, wall } from './when.js';
import { go, go_zone, page, page_window, zoom } from './window.js';
import { before_name, preset_span, PRESETS, stepped, zoomed_out } from './window_state.js';
import { abbreviation, place, zone_choice, zone_name } from './zone.js';

/** @import { WindowState } from './window_state.js' */
/** @import { ZoneChoice } from './zone.js' */

/** @type {[ZoneChoice, string][]} */
const ZONES = [
  ['site', 'Site'],
  ['mine', 'Mine'],
  ['utc', 'UTC'],
];
/** @type {Record<string, string>} */
const KEYS = { t: 'open', z: 'out', c: 'week', l: 'live' };
const EVERY_MS = 30_000;
const SHOWN = '1h 24h 7d 30d month';
/** @type {Record<string, string>} */
/** Buttons for a fixed window in plain words. @type {Record<string, string>} */
const SAID = { yesterday: 'Yesterday', 'last-week': 'Last week', 'last-month': 'Last month' };

/** @param {WindowState} state */
function range_text({ span: [start, end] }) {
  const zone = zone_name();
  const [a, b] = [wall(start, zone), wall(end, zone)];
  const year = a.getUTCFullYear() !== wall(now_ms(), zone).getUTCFullYear();
  const same = a.toISOString().slice(0, 10) === b.toISOString().slice(0, 10);
  const last = same ? '' : `${day_month(end, zone)} `;
  return `${day_month(start, zone, year)} ${hour_minute(start, zone)} – ${last}${hour_minute(end, zone)}`;
}

class TimeBar extends HTMLElement {
  #last = page.usual; // what "go live" returns to
  #popover = /** @type {ReturnType<typeof open_popover> | null} */ (null);

  connectedCallback() {
    this.setAttribute('role', 'toolbar');
    this.setAttribute('aria-label', 'Time');
    draw_in_zone();
    document.addEventListener('wl-window', () => {
      draw_in_zone();
      this.#paint();
    });
    document.addEventListener('wl-whole', () => {
      if (!this.#popover) this.#paint();
    });
    this.addEventListener('click', (event) => this.#click(/** @type {Element} */ (event.target)));
    this.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLSelectElement) this.#compare(target.value);
    });
    document.addEventListener('keydown', (event) => this.#key(event));
    setInterval(() => {
      if (page_window().preset && !document.hidden && !this.#popover) this.#paint();
    }, EVERY_MS);
    this.#paint();
  }

  /** @param {string} value */
  #compare(value) {
    go({ ...page_window(), compare: value === 'week' || value === 'before' ? value : '' });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const typing = document.activeElement?.matches('input, textarea, select, [contenteditable]');
    if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const arrows = event.shiftKey ? { ArrowLeft: 'back', ArrowRight: 'forward' } : {};
    const action = KEYS[event.key] ?? /** @type {Record<string, string>} */ (arrows)[event.key];
    if (!action) return;
    event.preventDefault();
    if (action === 'week' && !this.hasAttribute('plain')) this.#compare(page_window().compare ? '' : 'week');
    else /** @type {HTMLElement | null} */ (this.querySelector(`[data-do="${action}"]:not([disabled])`))?.click();
  }

  /** @param {Element} target */
  #click(target) {
    const button = target.closest('button');
    if (!button || button.closest('.timepop')) return;
    const { preset, zone, do: action } = button.dataset;
    if (preset) this.#preset(preset);
    else if (zone === 'site' || zone === 'mine' || zone === 'utc') go_zone(zone);
    else if (action) this.#do(action);
  }

  /** @param {string} preset */
  #preset(preset) {
    const said = SAID[preset] && parse(SAID[preset], zone_name(), now_ms());
    if (said) go({ ...page_window(), preset: '', within: '', span: said });
    else go({ ...page_window(), preset, within: '', span: preset_span(preset, zone_name(), now_ms(), page.whole) });
  }

  /** @param {string} action */
  #do(action) {
    const state = page_window();
    if (action === 'back') go(stepped(state, -1, now_ms()));
    else if (action === 'forward') go(stepped(state, 1, now_ms()));
    else if (action === 'out') go(zoomed_out(state, now_ms()));
    else if (action === 'reset') zoom(null, null);
    else if (action === 'live') this.#live(state);
    else if (action === 'open') this.#toggle();
  }

  /** @param {WindowState} state */
  #live(state) {
    if (state.preset) go({ ...state, preset: '', within: '' });
    else this.#preset(this.#last);
  }

  #toggle() {
    if (this.#popover) {
      this.#close();
      return;
    }
    this.#popover = open_popover(page_window(), {
      apply: (span) => {
        this.#close();
        go({ ...page_window(), preset: '', within: '', span });
      },
      close: () => this.#close(true),
    });
    this.append(this.#popover.element);
    this.querySelector('[data-do="open"]')?.setAttribute('aria-expanded', 'true');
    this.#popover.focus();
  }

  #close(focus = false) {
    this.#popover?.remove();
    this.#popover = null;
    const button = this.querySelector('[data-do="open"]');
    button?.setAttribute('aria-expanded', 'false');
    if (focus) /** @type {HTMLElement} */ (button)?.focus();
  }

  #paint() {
    const state = page_window();
    if (state.preset) this.#last = state.preset;
    const popover = this.#popover?.element;
    const keys = (this.getAttribute('presets') ?? SHOWN).split(' ');
    const compared = this.hasAttribute('plain') ? '' : comparison(state);
    fill(this, presets(keys, state) + window_row(state, Boolean(popover)) + compared + tail(state));
    if (popover) this.append(popover);
  }
}

/**
 * @param {string[]} keys
 * @param {WindowState} state
 */
const presets = (keys, state) => markup`
  <div class="seg presets" role="group" aria-label="Window">${keys
    .map((key) => {
      const { label, short } = PRESETS[key] ?? { label: SAID[key], short: SAID[key] };
      return markup`
        <button type="button" data-preset="${key}" aria-pressed="${is_shown(key, state)}">
        <span class="wide">${label}</span><span class="slim">${short}</span></button>
      `;
    })
    .join('')}</div>
`;

/**
 * @param {string} key
 * @param {WindowState} state
 */
function is_shown(key, { preset, span }) {
  if (key in PRESETS) return key === preset;
  return !preset && `${parse(SAID[key], zone_name(), now_ms())}` === `${span}`;
}

/**
 * @param {WindowState} state
 * @param {boolean} open
 */
function window_row(state, open) {
  const ms = state.span[1] - state.span[0];
  const by = state.preset === 'all' ? '' : ` by ${length(ms)}`;
  const name = state.preset ? PRESETS[state.preset].name : '';
  const [first, last] = page.whole ?? [state.preset === 'all' ? Infinity : 0, now_ms() - 60_000];
  const [at_start, at_end] = [state.span[0] <= first, state.span[1] >= last];
  const is_whole = state.preset === 'all' || Boolean(page.whole && at_start && at_end);
  const range = state.preset === 'all' || (state.preset === 'run' && !page.whole) ? '' : range_text(state);
  return markup`
    <div class="winrow">
    <button class="btn sq" type="button" data-do="back" title="Back${by} (Shift ←)"
    aria-label="Back${by}"${at_start ? ' disabled' : ''}>${icon('left')}</button>
    <button class="btn win" type="button" data-do="open" aria-haspopup="dialog" aria-expanded="${open}"
    title="Choose a window (T)">${icon('cal')}${name && `<b>${name}</b>`}
    <span class="${name ? 'mute range' : 'range'}">${range}</span>
    ${name ? '' : `<span class="mute">${length(ms)}</span>`}${icon('chev', 'mute')}</button>
    <button class="btn sq" type="button" data-do="forward" title="Forward${by} (Shift →)"
    aria-label="Forward${by}"${at_end ? ' disabled' : ''}>${icon('right')}</button>
    <button class="btn sq" type="button" data-do="out" title="Twice the window (Z)"
    aria-label="Zoom out${by && ` to ${length(2 * ms)}`}"${is_whole ? ' disabled' : ''}>${icon('wider')}</button></div>
    ${state.within && '<button class="btn" type="button" data-do="reset">Reset zoom</button>'}
  `;
}

/** @param {WindowState} state */
function comparison({ compare, span }) {
  const before = before_name(span, zone_name());
  const options = [
    ['', 'No comparison'],
    ['week', 'Week before'],
    ['before', before.charAt(0).toUpperCase() + before.slice(1)],
  ];
  return markup`
    <select class="cmp${compare && ' on'}" aria-label="Compare with" title="Drawn faint behind each curve (C)">${options
      .map(([value, text]) => `<option value="${value}"${value === compare ? ' selected' : ''}>${text}</option>`)
      .join('')}</select>
  `;
}

/** @param {WindowState} state */
function tail({ preset, span }) {
  const live = preset !== '';
  const zones = ZONES.map(([choice, label]) => {
    const name = zone_name(choice);
    const on = choice === zone_choice();
    const short = on && choice !== 'utc' ? ` <small>${escape(abbreviation(name, span[1]))}</small>` : '';
    return markup`
      <button type="button" data-zone="${choice}" aria-pressed="${on}"
      title="Times of ${escape(place(name))}; files are in UTC">${label}${short}</button>
    `;
  });
  const follows = preset !== 'all' && !page.is_over; // else there is nothing newer to follow
  return markup`
    <div class="tail">
    ${!follows ? '' : live_button(live)}
    <div class="seg zone" role="group" aria-label="Time zone">${zones.join('')}</div></div>
  `;
}

/** @param {boolean} live */
const live_button = (live) => markup`
    <button class="btn lv" type="button" data-do="live" aria-pressed="${live}"
    title="${live ? 'Stay at this time (L)' : 'Follow the newest readings (L)'}">${
      live ? `${icon('pause')}Pause` : `${icon('play')}Paused<span class="mute"> · go live</span>`
    }</button>
`;

let drawn_zone = '';

/** Charts get times in UTC and draw them in the zone of the page. */
function draw_in_zone() {
  const zone = zone_name();
  if (zone === drawn_zone) return;
  drawn_zone = zone;
  show_zone({ shift: (ms) => ms + offset(ms, zone), back: (ms) => instant(ms, zone) });
}

customElements.define('wl-time', TimeBar);
