// @ts-check
// Loads Plotly, 4 MB of script, where a chart is drawn. A report has it loaded from the start.

/** @type {Promise<void> | null} */
let library = null;

/** Tell whether Plotly can be used. */
export const is_loaded = () => typeof Plotly !== 'undefined';
const source = () => document.querySelector('#plotly')?.getAttribute('href') ?? '';

/** Load Plotly once, after the next paint: text and numbers come first. */
export const load = () =>
  (library ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      library = null;
      reject(new Error('The charts could not be loaded; reload the page.'));
    });
    script.src = source();
    requestAnimationFrame(() => setTimeout(() => document.head.append(script)));
  }));

/** Fetch Plotly where a chart will be drawn, once the requests for data are sent. */
function fetch_early() {
  if (is_loaded() || !document.querySelector('.plot')) return;
  const hint = document.createElement('link');
  Object.assign(hint, { rel: 'preload', as: 'script', href: source(), fetchPriority: 'low' });
  document.head.append(hint);
}
addEventListener('load', fetch_early);
