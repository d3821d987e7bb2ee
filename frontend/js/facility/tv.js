// @ts-check
// TV mode: ?tv=1. Large type, no controls, no motion; the page stays what it is and never turns to another. `V` toggles
// it. The clock runs in the zone of the page; a stream that breaks is retried, and the page says since when.
import { handle_keys, read, write } from '../core/address.js';
import { $ } from '../core/dom.js';
import { now_ms } from '../core/live.js';
import { shown, zone_name } from '../time/zone.js';

const root = document.documentElement;

function clock() {
  const place = $('#tv-clock');
  const text = shown(now_ms()).toISOString();
  place.textContent = `${text.slice(0, 10)} · ${text.slice(11, 16)} ${zone_name()}`;
}

/** @param {() => void} changed */
export function tv_mode(changed) {
  const place = Object.assign(document.createElement('span'), { id: 'tv-clock' });
  document.querySelector('wl-top .right')?.prepend(place);
  const apply = () => {
    root.toggleAttribute('data-tv', read('tv') === '1');
    if (root.hasAttribute('data-tv')) clock();
    changed();
  };
  const toggle = () => {
    const on = read('tv') !== '1';
    write({ tv: on ? '1' : null });
    if (on) root.requestFullscreen?.().catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
    apply();
  };
  handle_keys(['tv'], apply);
  $('#tv').addEventListener('click', toggle);
  addEventListener('keydown', (event) => {
    const typing = /** @type {Element} */ (event.target).closest?.('input, select, textarea, dialog');
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'v' || event.key === 'V') toggle();
  });
  setInterval(() => {
    if (root.hasAttribute('data-tv')) clock();
  }, 1000);
  apply();
}
