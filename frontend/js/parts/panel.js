// @ts-check
// <wl-panel heading="Power by node" unit="kW"> … </wl-panel>: title, unit, age, menu, and the four states.
//
//   panel.loading()                       until the first data; a still skeleton, announced by aria-busy
//   panel.empty({ what, why, links })     nothing to show, and why; links: [{ label, href }]
//   panel.error(problem, retry)           the server's error, its hint, and "Try again"
//   panel.ready({ heading, unit, age })   shows the children; what is given replaces the text in the header
//   panel.figure(element, figure, { source, zoom })   ready + draw + the menu's figure and data actions
//   panel.actions = () => [...]           more menu items (js/parts/menu.js); without any action there is no menu
// `source` is the path of the API request that holds the same data: it becomes "Copy as curl / Python" and "JSON".
import { absolute, curl, python } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { copy } from '../core/export.js';
import { draw, forget } from '../charts/figure.js';
import { table } from '../charts/figure_data.js';
import { num } from '../core/format.js';
import { escape, icon, markup } from '../core/markup.js';
import { figure_entries } from '../export/figure_menu.js';
import { menu } from './menu.js';

/** @import { Problem } from '../core/api.js' */
/** @import { Plot, Zoom } from '../charts/figure.js' */
/** @import { Entry } from './menu.js' */
/** @import { Empty, Figure } from '../answers.js' */

/** @type {Record<string, number>} */
const DIGITS = { kW: 3, W: 1, A: 2, '%': 1, kWh: 3 };
/** @param {string | number | null} x */
const shown = (x) => (typeof x === 'string' ? x.replace('T', ' ').replace(/(\.000)?Z$/, '') : escape(x));
/** @param {string} text */
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

let count = 0;

export class Panel extends HTMLElement {
  /** @type {Figure | null} */
  #figure = null;
  /** @type {Plot | null} */
  #plot = null;
  /** @type {string | null} */
  #source = null;
  /** @type {Zoom | undefined} */
  #zoom;
  /** @type {HTMLElement | null} */
  #menu = null;
  /** @type {() => Entry[]} */
  #actions = () => [];
  #made = false;
  #plain = '';
  #body = document.createElement('div');
  #instead = document.createElement('div');

  connectedCallback() {
    if (this.#made) return;
    this.#made = true;
    this.#plain = this.getAttribute('heading') ?? '';
    const id = `p${(count += 1)}`;
    this.#body.className = 'body';
    this.#body.append(...this.childNodes);
    Object.assign(this.#instead, { className: 'instead', hidden: true });
    const header = document.createElement('header');
    fill(
      header,
      markup`
        <h2 id="${id}">${escape(this.#plain)}</h2><span class="u">${escape(this.getAttribute('unit') ?? '')}</span>
        <span class="age"></span>
      `,
    );
    this.append(header, this.#body, this.#instead);
    this.setAttribute('role', 'region');
    this.setAttribute('aria-labelledby', id);
    if (this.hasAttribute('wait')) this.loading();
  }

  disconnectedCallback() {
    if (this.#plot) forget(this.#plot);
  }

  /** @param {string} selector */
  #part(selector) {
    return $(`:scope > header > ${selector}`, HTMLElement, this);
  }

  /** @param {string | null} html  shown instead of the children; null shows them */
  #show(html) {
    this.removeAttribute('aria-busy');
    this.#body.hidden = html !== null;
    this.#instead.hidden = html === null;
    fill(this.#instead, html ?? '');
  }

  /** @param {string} text */
  set age(text) {
    this.#part('.age').textContent = text;
  }
  /** @param {string} text */
  set heading(text) {
    this.#part('h2').textContent = text || this.#plain;
  }
  /** @param {() => Entry[]} items */
  set actions(items) {
    this.#actions = items;
    this.#menus();
  }

  loading() {
    this.#show('<div class="skel"></div>');
    this.setAttribute('aria-busy', 'true');
  }

  /** @param {Empty} reason */
  empty({ what, why = '', links = [], sign = 'info' }) {
    this.#figure = null;
    this.heading = this.#plain;
    const act = links.map((l) => `<a class="btn" href="${escape(l.href)}">${escape(l.label)}</a>`).join('');
    this.#show(
      markup`
        <div class="state"><b>${icon(sign)}<span>${escape(what)}</span></b><span>${escape(why)}</span>
        ${act && `<div class="act">${act}</div>`}</div>
      `,
    );
    this.#menus();
  }

  /**
   * @param {Problem} problem
   * @param {() => void} [retry]
   */
  error(problem, retry) {
    this.heading = this.#plain;
    this.#show(markup`
        <div class="state err" role="alert"><b>${icon('crit')}
        <span>${escape(sentence(problem.detail || problem.title))}</span></b>
        <span>${escape(sentence(problem.hint ?? ''))}</span>
        ${retry ? '<div class="act"><button class="btn">Try again</button></div>' : ''}</div>
      `);
    const again = /** @type {HTMLElement | null} */ (this.#instead.querySelector('.btn'));
    if (!again) return;
    again.onclick = () => {
      this.loading();
      retry?.();
    };
  }

  /** @param {{ heading?: string, unit?: string, age?: string }} [header] */
  ready({ heading, unit, age } = {}) {
    if (heading !== undefined) this.heading = heading;
    if (unit !== undefined) this.#part('.u').textContent = unit;
    if (age !== undefined) this.age = age;
    if (!this.hasAttribute('table')) this.#show(null);
  }

  /**
   * @param {Plot} element
   * @param {Figure} figure
   * @param {{ source?: string | null, zoom?: Zoom, age?: string }} [options]
   */
  figure(element, figure, { source = null, zoom, age } = {}) {
    this.#source = source;
    if (figure.empty) {
      this.empty(figure.empty);
      return;
    }
    this.#figure = figure;
    this.#plot = element;
    this.#zoom = zoom;
    this.ready({ heading: figure.title, unit: figure.unit, age });
    this.#menus();
    if (this.hasAttribute('table')) this.#tabulate(figure);
    else draw(element, figure, { zoom });
  }

  /** @param {Figure} figure */
  #tabulate(figure) {
    const { columns: names, rows } = table(figure);
    const columns = names[0] === 'time' ? ['time (UTC)', ...names.slice(1)] : names;
    const digits = columns.map((c) => DIGITS[c.match(/\[(.*)\]/)?.[1] ?? ''] ?? 2);
    /**
     * @param {string | number | null} v
     * @param {number} i
     */
    const cell = (v, i) =>
      i ? `<td class="num">${num(Number(v ?? NaN), digits[i])}</td>` : `<td class="nb">${shown(v)}</td>`;
    const scrolled = this.#instead.querySelector('.astable')?.scrollTop ?? 0;
    this.setAttribute('table', '');
    this.#show(markup`
      <div class="astable" tabindex="0"><table><caption class="vh">${escape(figure.title)}</caption><thead>
      <tr>${columns.map((c, i) => `<th scope="col" class="${i ? 'num' : ''}">${escape(c)}</th>`).join('')}</tr></thead>
      <tbody>${rows.map((r) => `<tr>${r.map(cell).join('')}</tr>`).join('')}</tbody></table></div>
    `);
    $('.astable', HTMLElement, this.#instead).scrollTop = scrolled;
  }

  /**
   * @param {Figure} figure
   * @param {Plot} plot
   */
  #chart(figure, plot) {
    this.removeAttribute('table');
    this.#show(null);
    draw(plot, figure, { zoom: this.#zoom });
  }

  /** @returns {Entry[]} */
  #of_figure() {
    const [figure, plot] = [this.#figure, this.#plot];
    if (!figure || !plot) return [];
    return figure_entries(plot, figure, this.#source, !this.hasAttribute('table'));
  }

  /** @returns {Entry[]} */
  #of_source() {
    const source = this.#source;
    if (!source) return [];
    return [
      { label: 'Copy as', hint: 'curl', run: () => copy(curl(source)) },
      { label: 'Copy as', hint: 'Python', run: () => copy(python(source)) },
      { label: 'Open the response', hint: 'JSON', run: () => window.open(absolute(source)) },
    ];
  }

  /** @returns {Entry[]} */
  #of_form() {
    const [figure, plot] = [this.#figure, this.#plot];
    if (!figure || !plot) return [];
    if (this.hasAttribute('table'))
      return [this.#screen(), { label: 'Show as chart', run: () => this.#chart(figure, plot) }];
    return [this.#screen(), { label: 'Show as table', run: () => this.#tabulate(figure) }];
  }

  /** @param {string} format  SVG, PNG or HTML */
  save_figure(format) {
    this.#of_figure()
      .find(({ label, hint }) => label === 'Figure' && hint === format)
      ?.run();
  }

  /** @returns {Entry} */
  #screen() {
    if (document.fullscreenElement === this)
      return { label: 'Leave full screen', hint: 'Esc', run: () => document.exitFullscreen() };
    return { label: 'Full screen', run: () => this.requestFullscreen() };
  }

  #items() {
    const groups = [this.#actions(), this.#of_figure(), this.#of_source(), this.#of_form()];
    return groups.filter((g) => g.length).flatMap((g, i) => (i ? [null, ...g] : g));
  }

  #menus() {
    const wanted = this.#items().length > 0;
    if (wanted && !this.#menu) {
      this.#menu = menu(this.#plain, () => this.#items());
      $(':scope > header', HTMLElement, this).append(this.#menu);
    }
    if (!wanted && this.#menu) {
      this.#menu.remove();
      this.#menu = null;
    }
  }
}
customElements.define('wl-panel', Panel);
