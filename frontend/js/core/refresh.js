// @ts-check
import { as_problem } from './api.js';

/** @import { Problem } from './api.js' */

/**
 * Show in the bar of live/unread.js what of a view could not be read; other answers leave the bar as it is.
 * @param {unknown} answer
 */
function show_unread(answer) {
  if (!answer || typeof answer !== 'object' || !('unread' in answer)) return;
  const unread = /** @type {import('../answers.js').Unread | null} */ (answer.unread);
  document.dispatchEvent(new CustomEvent('wl-unread', { detail: { unread } }));
}

/**
 * Load a view now, then periodically, and when the tab becomes visible again. The first failure shows in the panels;
 * a later one leaves the last values on the page, and the bar of live/connection.js says that the server is gone.
 *   const run = refresh(() => get('/facility'), paint, panels)
 * @template T
 * @param {() => Promise<T>} load
 * @param {(answer: T) => void} paint
 * @param {{ error(problem: Problem, retry?: () => void): void }[]} panels
 */
export function refresh(load, paint, panels, seconds = 60) {
  let shown = false;
  let last_ms = 0;
  let newest = 0;

  /** @param {boolean} ok @param {boolean} [asked] */
  const tell = (ok, asked) => document.dispatchEvent(new CustomEvent('wl-server', { detail: { ok, asked } }));

  /** @param {boolean} asked  a person chose something, such as another window */
  async function request(asked) {
    last_ms = Date.now();
    const number = (newest += 1);
    try {
      const answer = await load();
      if (number !== newest) return; // another window was asked for meanwhile
      tell(true);
      show_unread(answer);
      paint(answer);
      shown = true;
    } catch (thrown) {
      if (number !== newest) return;
      const problem = as_problem(thrown);
      if (problem.status === 0) tell(false, asked);
      if (!shown) panels.forEach((p) => p.error(problem, run));
    }
  }

  const run = () => request(shown);

  setInterval(() => {
    if (!document.hidden) request(false);
  }, seconds * 1000);
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && Date.now() - last_ms > seconds * 1000) request(false);
  });
  document.addEventListener('wl-retry', () => request(false));
  request(false);
  return run;
}

/**
 * Return a function that is given what the page shows live and the sentences of the server state as well: where that
 * has changed, they are loaded again, at most every few seconds.
 * @param {() => void} run  as `refresh` returned it
 */
export function reload_changed(run, seconds = 10) {
  /** @type {string | null} */
  let stated = null;
  let last_ms = Date.now();
  /** @param {string} now */
  return (now) => {
    if (stated !== null && (stated === now || Date.now() - last_ms < seconds * 1000)) return;
    if (stated !== null) run();
    stated = now;
    last_ms = Date.now();
  };
}
