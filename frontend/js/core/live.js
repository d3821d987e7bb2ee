// @ts-check
// Live values by server-sent events. live({ rack: 'r07' }, (values) => …) calls back with { t, nodes, racks, devices }.
// Reports the number of active alerts by the document's `wl-alerts` event: { active, crit, unacknowledged }.
// Reports its own state by the document's `wl-live` event: { state: 'live' | 'paused' | 'broken', newest_ms, retry_s }.
// Paused while the tab is hidden; a broken stream is retried every few seconds.
import { path } from './api.js';

/** @import { FacilityTitles, LiveStatus, LiveValues } from '../answers.js' */

const RETRY_S = 5;
let skew_ms = 0; // the server's clock minus ours
export const now_ms = () => Date.now() + skew_ms;

/** @param {import('../answers.js').When} when */
export const age_s = (when) => (now_ms() - new Date(when).getTime()) / 1000;

/**
 * @param {{ rack?: string, node?: string, device?: string, titles?: string }} filter
 * @param {(values: LiveValues) => void} update
 * @param {(titles: FacilityTitles) => void} [restate]  with `titles`: what the facility page says now
 */
export function live(filter, update, restate) {
  /** @type {EventSource | null} */
  let stream = null;
  let source = '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {LiveStatus} */
  const status = { state: 'connecting', newest_ms: null, retry_s: 0 };

  /** @param {Partial<LiveStatus>} change */
  const report = (change) => {
    Object.assign(status, change);
    document.dispatchEvent(new CustomEvent('wl-live', { detail: { ...status } }));
  };

  /** @param {MessageEvent} event */
  function receive(event) {
    /** @type {LiveValues} */
    const values = JSON.parse(event.data);
    skew_ms = values.t - Date.now();
    const times = [values.nodes, values.racks, values.devices].flatMap((group) =>
      Object.values(group ?? {}).map((v) => v.t ?? 0),
    );
    report({ state: 'live', newest_ms: Math.max(status.newest_ms ?? 0, ...times) || null });
    if (values.alerts) document.dispatchEvent(new CustomEvent('wl-alerts', { detail: values.alerts }));
    update(values);
  }

  function open() {
    close();
    source = path('/live', filter);
    stream = new EventSource(source);
    stream.addEventListener('snapshot', receive);
    stream.addEventListener('update', receive);
    stream.addEventListener('titles', ({ data }) => restate?.(JSON.parse(data)));
    stream.onopen = () => report({ state: 'live' });
    stream.onerror = broken;
  }

  function broken() {
    close();
    let left = RETRY_S;
    const count = () => {
      if (left <= 0) {
        open();
        return;
      }
      report({ state: 'broken', retry_s: left });
      left -= 1;
      timer = setTimeout(count, 1000);
    };
    count();
  }

  function close() {
    clearTimeout(timer);
    stream?.close();
    stream = null;
  }

  function pause() {
    close();
    report({ state: 'paused' });
  }

  const follow_tab = () => (document.hidden ? pause() : open());
  document.addEventListener('visibilitychange', follow_tab);
  document.addEventListener('wl-window', () => {
    if (stream && source !== path('/live', filter)) open(); // the times of its sentences are in another zone
  });
  addEventListener('pagehide', close);
  addEventListener('pageshow', (event) => {
    if (event.persisted) open();
  });
  follow_tab();
}
