// @ts-check
// The downloads of a job: its readings as files, its figures as pictures, and the same request as curl and Python.
import { absolute, path } from '../core/api.js';
import { $, fill } from '../core/dom.js';
import { copy } from '../core/export.js';
import { escape, icon, markup } from '../core/markup.js';
import { Panel } from '../parts/panel.js';
import { page_window, requested_times } from '../time/window.js';

const FILES = [
  ['CSV', 'csv'],
  ['Parquet', 'parquet'],
  ['Arrow', 'arrow'],
  ['JSON', 'json'],
];
const is_part = () => page_window().preset !== 'run';
const params = () => (is_part() ? `, params=${JSON.stringify(requested_times())}` : '');

/** @typedef {'curl' | 'python'} Language */

/** @type {Record<Language, string>} */
const LANGUAGES = { curl: 'curl', python: 'Python' };
/** @type {Language} */
let language = 'curl';

/** @type {Record<Language, (key: string) => string>} */
const code = {
  curl: (key) => `# key figures with their basis
curl -s '${absolute(path(`/jobs/${key}`))}'

# every reading${is_part() ? ' of this range' : ''}, one column per series, UTC
curl -s '${absolute(path(`/jobs/${key}/curve.csv`, requested_times()))}' -o job-${key}.csv`,
  python: (key) => `import httpx, io, pandas

job = "${absolute(path(`/jobs/${key}`))}"
summary = httpx.get(job).raise_for_status().json()["summary"]
print(summary["energy_kwh"], "kWh, coverage", summary["coverage"])

answer = httpx.get(f"{job}/curve.parquet", timeout=60${params()}).raise_for_status()
curve = pandas.read_parquet(io.BytesIO(answer.content))`,
};

/**
 * @param {string} href
 * @param {string} label
 * @param {string} kind
 */
const file = (href, label, kind, name = '') =>
  `<a class="btn" href="${escape(href)}" download="${escape(name)}">${icon('down')}${label}<small>${kind}</small></a>`;

/**
 * @param {{ id: string, plot: HTMLElement | null }} job  `plot` is the drawn figure, if there is one
 */
export function paint_downloads({ id, plot }) {
  const key = encodeURIComponent(id);
  $('#take-panel', Panel).ready();
  const readings = FILES.map(([label, format]) =>
    file(path(`/jobs/${key}/curve.${format}`, requested_times()), 'Readings', label),
  );
  const pictures = ['SVG', 'PNG'].map(
    (format) => markup`
      <button class="btn" type="button" data-image="${format.toLowerCase()}"
      ${plot ? '' : ' disabled'}>${icon('down')}Figure<small>${format}</small></button>
    `,
  );
  fill(
    $('#downloads'),
    [
      ...readings,
      file(path(`/jobs/${key}`), 'Summary', 'JSON', `job-${id}.json`),
      file(path(`/jobs/${key}/report.html`), 'Report', 'HTML', `job-${id}.html`),
      ...pictures,
    ].join(''),
  );
  $('#downloads').onclick = ({ target }) => {
    /** @type {HTMLElement | null} */
    const button = /** @type {Element} */ (target).closest('[data-image]');
    const panel = plot?.closest('wl-panel');
    if (button && panel instanceof Panel) panel.save_figure(button.dataset.image?.toUpperCase() ?? '');
  };
  paint_code(key, () => paint_downloads({ id, plot }));
}

/**
 * @param {string} key
 * @param {() => void} repaint
 */
function paint_code(key, repaint) {
  fill(
    $('#language'),
    Object.entries(LANGUAGES)
      .map(([value, label]) => {
        const pressed = value === language;
        return `<button type="button" data-value="${value}" aria-pressed="${pressed}">${label}</button>`;
      })
      .join(''),
  );
  $('#language').onclick = ({ target }) => {
    const { value } = /** @type {HTMLElement} */ (target).dataset;
    if (value !== 'curl' && value !== 'python') return;
    language = value;
    repaint();
  };
  fill($('#copy'), `${icon('copy')}Copy`);
  $('#copy').onclick = () => copy($('#code').textContent ?? '');
  $('#code').textContent = code[language](key);
}
