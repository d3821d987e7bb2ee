// <wl-top page="Facility" live>: brand, pages, site and zone, live pill, theme. Every page has one.
//   A new page: add a line to PAGES. The number beside Alerts comes by `wl-alerts`, or is asked for. The pill listens to `wl-live` (js/core/live.js); the site's name to `wl-site` { label }.
import '../parts/panel.js';
import { get } from './api.js';
import { ago, escape, icon } from './format.js';
import { now_ms } from './live.js';

const PAGES = [
  { name: 'Facility', href: '/' },
  { name: 'Jobs', href: '/jobs' },
  { name: 'Compare', href: '/compare' },
  { name: 'Capacity', href: '/capacity' },
  { name: 'Devices', href: '/devices' },
  { name: 'Alerts', href: '/alerts' },
];

const ASK_EVERY_MS = 30_000;                                    // where no stream tells how many alerts there are

class Top extends HTMLElement {
  #live = null;

  connectedCallback() {
    const here = this.getAttribute('page');
    const link = ({ name, href }) => `<a href="${href}"${name === here ? ' aria-current="page"' : ''}>${name}${name === 'Alerts' ? '<span class="count" hidden></span>' : ''}</a>`;
    this.setAttribute('role', 'banner');
    this.innerHTML = `<a class="skip" href="#main">Skip to the content</a>
      <a class="brand" href="/">${icon('wl')}Wattline</a><nav aria-label="Pages">${PAGES.map(link).join('')}</nav>
      <div class="right"><span class="site-name">UTC</span>${this.hasAttribute('live') ? '<span class="live"></span><span class="vh" role="status"></span>' : ''}
      <button class="iconbtn" type="button" title="Light or dark" aria-label="Switch between light and dark">${icon('theme')}</button></div>`;
    this.querySelector('.iconbtn').addEventListener('click', () => document.dispatchEvent(new Event('wl-theme-toggle')));
    document.querySelector('main')?.setAttribute('id', 'main');
    document.addEventListener('wl-site', ({ detail }) => { this.querySelector('.site-name').innerHTML = `${escape(detail.label)} · UTC`; });
    document.addEventListener('wl-live', ({ detail }) => { this.#live = detail; this.#pill(); });
    document.addEventListener('wl-alerts', ({ detail }) => this.#alerts(detail));
    if (this.hasAttribute('live')) setInterval(() => this.#pill(), 1000);
    else { this.#ask(); setInterval(() => { if (!document.hidden) this.#ask(); }, ASK_EVERY_MS); }
  }

  #ask() { get('/alerts', { limit: 1 }).then(({ counts }) => this.#alerts(counts), () => {}); }

  #alerts({ active, crit }) {
    const count = this.querySelector('.count');
    count.hidden = !active;
    count.classList.toggle('critical', crit > 0);
    count.innerHTML = `${crit ? icon('crit') : ''}<span aria-hidden="true">${active}</span><span class="vh">, ${active} active${crit ? `, ${crit} critical` : ''}</span>`;
  }

  #pill() {
    const pill = this.querySelector('.live');
    if (!pill || !this.#live) return;
    const { state, newest_ms, retry_s } = this.#live;
    const age = newest_ms === null ? '' : ` · ${ago((now_ms() - newest_ms) / 1000)}`;
    const text = { connecting: 'connecting', live: `live${age}`, paused: 'paused', broken: `stream broken, trying again in ${retry_s} s` }[state];
    if (pill.dataset.state !== state) {
      pill.dataset.state = state;
      pill.nextElementSibling.textContent = `Live values: ${state}`;   // said once; the age beside it ticks silently
    }
    pill.innerHTML = (state === 'broken' ? icon('warn') : '') + escape(text);
  }
}
customElements.define('wl-top', Top);
