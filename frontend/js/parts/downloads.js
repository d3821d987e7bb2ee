// "Take it with you" of a job: its readings as files, its figures as pictures, and the same request as curl and Python.
import { read } from '../core/address.js';
import { absolute, path } from '../core/api.js';
import { image } from '../core/figure.js';
import { escape, icon } from '../core/format.js';
import { copy } from '../core/export.js';

const FILES = [['CSV', 'csv'], ['Parquet', 'parquet'], ['Arrow', 'arrow'], ['JSON', 'json']];
const LANGUAGES = { curl: 'curl', python: 'Python' };
const $ = (selector) => document.querySelector(selector);
const stretch = () => ({ from: read('from'), to: read('to') });
let language = 'curl';

const code = {
  curl: (id) => `# key figures with their basis\ncurl -s '${absolute(path(`/jobs/${id}`))}'\n\n# every reading${read('from') ? ' of this stretch' : ''}, one column per series, UTC\ncurl -s '${absolute(path(`/jobs/${id}/curve.csv`, stretch()))}' -o job-${id}.csv`,
  python: (id) => `import httpx, io, pandas\n\njob = "${absolute(path(`/jobs/${id}`))}"\nsummary = httpx.get(job).raise_for_status().json()["summary"]\nprint(summary["energy_kwh"], "kWh, coverage", summary["coverage"])\n\nanswer = httpx.get(f"{job}/curve.parquet", timeout=60${read('from') ? `, params=${JSON.stringify(stretch())}` : ''}).raise_for_status()\ncurve = pandas.read_parquet(io.BytesIO(answer.content))`,
};

export function paint_downloads({ id, plot }) {
  const key = encodeURIComponent(id);
  const link = ([label, format]) => `<a class="btn" href="${escape(path(`/jobs/${key}/curve.${format}`, stretch()))}" download>${icon('down')}Readings<small>${label}</small></a>`;
  $('#downloads').innerHTML = `${FILES.map(link).join('')}<a class="btn" href="${escape(path(`/jobs/${key}`))}" download="job-${escape(id)}.json">${icon('down')}Summary<small>JSON</small></a>
    <a class="btn" href="${escape(path(`/jobs/${key}/report.html`))}" download="job-${escape(id)}.html">${icon('down')}Report<small>HTML</small></a>
    ${['SVG', 'PNG'].map((format) => `<button class="btn" type="button" data-image="${format.toLowerCase()}"${plot ? '' : ' disabled'}>${icon('down')}Figure<small>${format}</small></button>`).join('')}`;
  $('#downloads').onclick = ({ target }) => {
    const format = target.closest('[data-image]')?.dataset.image;
    if (format && plot) image(plot, format);
  };
  $('#language').innerHTML = Object.entries(LANGUAGES).map(([value, label]) => `<button type="button" data-value="${value}" aria-pressed="${value === language}">${label}</button>`).join('');
  $('#language').onclick = ({ target }) => {
    if (!target.dataset.value) return;
    language = target.dataset.value;
    paint_downloads({ id, plot });
    $(`#language [data-value="${language}"]`).focus();
  };
  $('#copy').innerHTML = `${icon('copy')}Copy`;
  $('#copy').onclick = () => copy($('#code').textContent);
  $('#code').textContent = code[language](key);
}
