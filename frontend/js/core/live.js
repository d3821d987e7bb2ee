// Live values by server-sent events. live({ rack: 'r07' }, (values) => …) calls back with { t, nodes, racks, devices }.
// Tells how many alerts are active by the document's `wl-alerts` event: { active, crit, unacknowledged }.
// Says how it stands by the document's `wl-live` event: { state: 'live' | 'paused' | 'broken', newest_ms, retry_s }.
// Paused while the tab is hidden; a broken stream is tried again every few seconds, and the page is told.
import { path } from './api.js';

const RETRY_S = 5;
let skew = 0;                                                  // server's clock − ours [ms]
export const now_ms = () => Date.now() + skew;

export function live(filter, update) {
  let stream = null;
  let timer = null;
  const status = { state: 'connecting', newest_ms: null, retry_s: 0 };
  const tell = (change) => {
    Object.assign(status, change);
    document.dispatchEvent(new CustomEvent('wl-live', { detail: { ...status } }));
  };

  function receive(event) {
    const values = JSON.parse(event.data);
    skew = values.t - Date.now();
    const times = [values.nodes, values.racks, values.devices].flatMap((group) => Object.values(group ?? {}).map((v) => v.t ?? 0));
    tell({ state: 'live', newest_ms: Math.max(status.newest_ms ?? 0, ...times) || null });
    if (values.alerts) document.dispatchEvent(new CustomEvent('wl-alerts', { detail: values.alerts }));
    update(values);
  }

  function open() {
    close();
    stream = new EventSource(path('/live', filter));
    stream.addEventListener('snapshot', receive);
    stream.addEventListener('update', receive);
    stream.onopen = () => tell({ state: 'live' });
    stream.onerror = broken;
  }

  function broken() {
    close();
    let left = RETRY_S;
    const count = () => {
      if (left <= 0) { open(); return; }
      tell({ state: 'broken', retry_s: left });
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

  document.addEventListener('visibilitychange', () => {
    if (document.hidden) { close(); tell({ state: 'paused' }); } else open();
  });
  addEventListener('pagehide', close);
  addEventListener('pageshow', (event) => { if (event.persisted) open(); });
  if (document.hidden) tell({ state: 'paused' }); else open();
}
