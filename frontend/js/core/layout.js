// @ts-check
// <wl-top page="Facility" live>: brand, pages, search (Ctrl K), site and zone, live pill, theme. Every page has one.
//   A new page: add a line to PAGES. The number beside Alerts comes with the event `wl-alerts`, or is requested.
//   The pill listens to `wl-live` (js/core/live.js); the site's name to `wl-site` { label }.
import { watch_connection } from '../live/connection.js';
import { watch_unread } from '../live/unread.js';
import '../parts/panel.js';
import { add_account } from '../access/account_menu.js';
import '../time/time_bar.js';
import { get } from './api.js';
import { $, fill } from './dom.js';
import { ago } from './format.js';
import { now_ms } from './live.js';
import { escape, icon, markup } from './markup.js';
import { place, zone_name } from '../time/zone.js';

/** @import { AlertCounts, LiveStatus } from '../answers.js' */

const PAGES = [
  { name: 'Facility', href: '/' },
  { name: 'Jobs', href: '/jobs' },
  { name: 'Compare', href: '/compare' },
  { name: 'Explore', href: '/explore' },
  { name: 'Capacity', href: '/capacity' },
  { name: 'Devices', href: '/devices' },
  { name: 'Alerts', href: '/alerts' },
];

const OTHER_PAGES = [
  { name: 'Checks', href: '/checks', words: 'meters disagree' },
  { name: 'My energy', href: '/my-energy', words: 'month cost' },
  { name: 'API reference', href: '/docs', words: 'docs' },
];
const ALERTS_EVERY_MS = 30_000; // on a page without a stream
const STREAM_MS = 1500; // so long a stream may take to begin

const load_search = () => import('../search/palette.js');
/** @type {Awaited<ReturnType<typeof load_search>> | null} */
let search = null; // loaded ahead: who types at once loses no letter

function open_search() {
  if (document.querySelector('dialog[open]')) return;
  if (search) search.open_palette([...PAGES, ...OTHER_PAGES]);
  else prepare_search().then(open_search);
}

async function prepare_search() {
  search = await load_search();
}
addEventListener('load', () => setTimeout(prepare_search, 500));

document.addEventListener('keydown', (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return;
  event.preventDefault();
  open_search();
});

class Top extends HTMLElement {
  /** @type {LiveStatus | null} */
  #live = null;
  #knows_alerts = false;

  connectedCallback() {
    const here = this.getAttribute('page');
    /** @param {{ name: string, href: string }} page */
    const link = ({ name, href }) => markup`
      <a href="${href}"${name === here ? ' aria-current="page"' : ''}>${name}
      ${name === 'Alerts' ? '<span class="count" hidden></span>' : ''}</a>
    `;
    this.setAttribute('role', 'banner');
    fill(
      this,
      markup`
        <a class="skip" href="#main">Skip to the content</a><a class="brand" href="/">${icon('wl')}Wattline</a>
        <nav aria-label="Pages">${PAGES.map(link).join('')}</nav>
        <div class="right"><button class="find" type="button" aria-label="Search" aria-haspopup="dialog"
        aria-keyshortcuts="Control+K" title="Search racks, rooms, nodes, outlets, jobs, users (Ctrl K)">
        ${icon('search')}<span>Search</span><kbd>Ctrl K</kbd></button><span class="site-name"></span>
        ${this.hasAttribute('live') ? '<span class="live"></span><span class="vh" role="status"></span>' : ''}
        <button class="iconbtn" type="button" title="Light or dark"
        aria-label="Switch between light and dark">${icon('theme')}</button></div>
      `,
    );
    $('.find', HTMLElement, this).addEventListener('click', open_search);
    $('.iconbtn', HTMLElement, this).addEventListener('click', () =>
      document.dispatchEvent(new Event('wl-theme-toggle')),
    );
    add_account($('.right', HTMLElement, this));
    requestAnimationFrame(() => {
      const nav = $('nav', HTMLElement, this);
      const current = nav.querySelector('[aria-current]'); // on a phone the pages scroll sideways
      if (current instanceof HTMLElement) nav.scrollLeft = current.offsetLeft - nav.offsetLeft - 60;
    });
    watch_unread(this);
    watch_connection(this);
    document.querySelector('main')?.setAttribute('id', 'main');
    document.addEventListener('wl-site', ({ detail }) => {
      $('.site-name', HTMLElement, this).textContent = `${detail.label} · ${place(zone_name())}`;
    });
    document.addEventListener('wl-live', ({ detail }) => {
      this.#live = detail;
      this.#pill();
    });
    document.addEventListener('wl-alerts', ({ detail }) => this.#alerts(detail));
    if (!this.hasAttribute('live')) this.#follow_alerts();
    else {
      setInterval(() => this.#pill(), 1000);
      setTimeout(() => {
        if (!this.#knows_alerts) this.#follow_alerts(); // no stream, as on the page of an ended job
      }, STREAM_MS);
    }
  }

  #follow_alerts() {
    this.#request();
    setInterval(() => {
      if (!document.hidden) this.#request();
    }, ALERTS_EVERY_MS);
  }

  #request() {
    get('/alerts', { limit: 1 }).then(
      ({ counts }) => this.#alerts(counts),
      () => {},
    );
  }

  /** @param {AlertCounts} counts */
  #alerts({ active, crit }) {
    this.#knows_alerts = true;
    const count = $('.count', HTMLElement, this);
    count.hidden = !active;
    count.classList.toggle('critical', crit > 0);
    fill(
      count,
      markup`
        ${crit ? icon('crit') : ''}<span aria-hidden="true">${active}</span>
        <span class="vh">, ${active} active${crit ? `, ${crit} critical` : ''}</span>
      `,
    );
  }

  #pill() {
    /** @type {HTMLElement | null} */
    const pill = this.querySelector('.live');
    if (!pill || !this.#live) return;
    const { state, newest_ms, retry_s } = this.#live;
    const age = newest_ms === null ? '' : ` · ${ago((now_ms() - newest_ms) / 1000)}`;
    const text = {
      connecting: 'connecting',
      live: `live${age}`,
      paused: 'paused',
      broken: `stream interrupted, retrying in ${retry_s} s`,
    }[state];
    if (pill.dataset.state !== state) {
      pill.dataset.state = state;
      $('[role="status"]', HTMLElement, this).textContent = `Live values: ${state}`; // announced once per state
    }
    fill(pill, (state === 'broken' ? icon('warn') : '') + escape(text));
  }
}
customElements.define('wl-top', Top);
