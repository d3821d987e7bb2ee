// <wl-panel heading="Power by node" unit="kW"> … </wl-panel>: title, unit, age, menu, and the four states.
//
//   panel.loading()                       until the first data; a still skeleton, announced by aria-busy
//   panel.empty({ what, why, links })     nothing to show, and why; links: [{ label, href }]
//   panel.error(problem, retry)           what the server said, its hint, and "Try again"
//   panel.ready({ heading, unit, age })   shows the children; what is given replaces what stands in the header
//   panel.figure(element, figure, { source, zoom })   ready + draw + the menu's figure and data actions
//   panel.actions = () => [...]           more menu items (js/parts/menu.js); without any action there is no menu
// `source` is the path of the API request that holds the same data: it becomes "Copy as curl / Python" and "JSON".
import { curl, python, absolute } from '../core/api.js';
import { csv, copy, save } from '../core/export.js';
import { draw, forget, image, table } from '../core/figure.js';
import { escape, icon, num } from '../core/format.js';
import { menu } from './menu.js';

const DIGITS = { kW: 3, W: 1, A: 2, '%': 1, kWh: 3 };
const shown = (x) => (typeof x === 'string' ? x.replace('T', ' ').replace(/(\.000)?Z$/, '') : escape(x));
const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

class Panel extends HTMLElement {
  #figure = null;
  #plot = null;
  #source = null;
  #menu = null;
  #actions = () => [];

  connectedCallback() {
    if (this.body) return;
    this.plain = this.getAttribute('heading') ?? '';
    const id = `p${Panel.count += 1}`;
    this.body = Object.assign(document.createElement('div'), { className: 'body' });
    this.body.append(...this.childNodes);
    this.instead = Object.assign(document.createElement('div'), { className: 'instead', hidden: true });
    const header = document.createElement('header');
    header.innerHTML = `<h2 id="${id}">${escape(this.plain)}</h2><span class="u">${escape(this.getAttribute('unit') ?? '')}</span><span class="age"></span>`;
    this.append(header, this.body, this.instead);
    this.setAttribute('role', 'region');
    this.setAttribute('aria-labelledby', id);
    if (this.hasAttribute('wait')) this.loading();
  }

  disconnectedCallback() { if (this.#plot) forget(this.#plot); }

  #part(selector) { return this.querySelector(`:scope > header > ${selector}`); }

  #show(html) {
    this.removeAttribute('aria-busy');
    this.body.hidden = html !== null;
    this.instead.hidden = html === null;
    this.instead.innerHTML = html ?? '';
  }

  set age(text) { this.#part('.age').textContent = text; }
  set heading(text) { this.#part('h2').textContent = text || this.plain; }
  set actions(items) { this.#actions = items; this.#menus(); }

  loading() {
    this.#show('<div class="skel"></div>');
    this.setAttribute('aria-busy', 'true');
  }

  empty({ what, why = '', links = [], sign = 'info' }) {
    this.#figure = null;
    this.heading = this.plain;
    const act = links.map((l) => `<a class="btn" href="${escape(l.href)}">${escape(l.label)}</a>`).join('');
    this.#show(`<div class="state"><b>${icon(sign)}<span>${escape(what)}</span></b><span>${escape(why)}</span>${act && `<div class="act">${act}</div>`}</div>`);
    this.#menus();
  }

  error(problem, retry) {
    this.heading = this.plain;
    this.#show(`<div class="state err" role="alert"><b>${icon('crit')}<span>${escape(sentence(problem.detail || problem.title))}</span></b><span>${escape(sentence(problem.hint ?? ''))}</span>
      ${retry ? '<div class="act"><button class="btn">Try again</button></div>' : ''}</div>`);
    this.instead.querySelector('.btn')?.addEventListener('click', () => { this.loading(); retry(); });
  }

  ready({ heading, unit, age } = {}) {
    if (heading !== undefined) this.heading = heading;
    if (unit !== undefined) this.#part('.u').textContent = unit;
    if (age !== undefined) this.age = age;
    if (!this.hasAttribute('table')) this.#show(null);
  }

  figure(element, figure, { source = null, zoom, age } = {}) {
    this.#source = source;
    if (figure.empty) { this.empty(figure.empty); return; }
    this.#figure = figure;
    this.#plot = element;
    this.ready({ heading: figure.title, unit: figure.unit, age });
    this.#menus();
    if (this.hasAttribute('table')) this.#tabulate();
    else draw(element, figure, { zoom });
  }

  #tabulate() {
    const { columns, rows } = table(this.#figure);
    const cell = (v, i) => `<td class="${i ? 'num' : 'nb'}">${i ? num(v, DIGITS[columns[i].match(/\[(.*)\]/)?.[1]] ?? 2) : shown(v)}</td>`;
    const scrolled = this.instead.querySelector('.astable')?.scrollTop ?? 0;
    this.setAttribute('table', '');
    this.#show(`<div class="astable" tabindex="0"><table><caption class="vh">${escape(this.#figure.title)}</caption>
      <thead><tr>${columns.map((c, i) => `<th scope="col" class="${i ? 'num' : ''}">${escape(c)}</th>`).join('')}</tr></thead>
      <tbody>${rows.map((r) => `<tr>${r.map(cell).join('')}</tr>`).join('')}</tbody></table></div>`);
    this.instead.querySelector('.astable').scrollTop = scrolled;
  }

  #chart() {
    this.removeAttribute('table');
    this.#show(null);
    draw(this.#plot, this.#figure);
  }

  #items() {
    const name = this.#figure?.layout?.meta?.name ?? 'wattline';
    const figure = !this.#figure ? [] : [
      { label: 'Drawn data', hint: 'CSV', run: () => save(`${name}.csv`, csv(table(this.#figure)), 'text/csv') },
      ...(this.hasAttribute('table') ? [] : [
        { label: 'Figure', hint: 'SVG', run: () => image(this.#plot, 'svg') },
        { label: 'Figure', hint: 'PNG', run: () => image(this.#plot, 'png') }]),
    ];
    const source = !this.#source ? [] : [
      { label: 'Copy as', hint: 'curl', run: () => copy(curl(this.#source)) },
      { label: 'Copy as', hint: 'Python', run: () => copy(python(this.#source)) },
      { label: 'Open the answer', hint: 'JSON', run: () => window.open(absolute(this.#source)) },
    ];
    const look = !this.#figure ? [] : [this.hasAttribute('table')
      ? { label: 'Show as chart', run: () => this.#chart() } : { label: 'Show as table', run: () => this.#tabulate() }];
    return [this.#actions(), figure, source, look].filter((g) => g.length).flatMap((g, i) => (i ? [null, ...g] : g));
  }

  #menus() {
    const wanted = this.#items().length > 0;
    if (wanted && !this.#menu) this.querySelector(':scope > header').append(this.#menu = menu(this.plain, () => this.#items()));
    if (!wanted && this.#menu) { this.#menu.remove(); this.#menu = null; }
  }
}
Panel.count = 0;
customElements.define('wl-panel', Panel);
