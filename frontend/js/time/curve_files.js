// @ts-check
// The readings behind a chart as files: menu entries of a panel, for the window of the page. Files are UTC.
import { path } from '../core/api.js';
import { page_window } from './window.js';

const FORMATS = ['csv', 'parquet', 'arrow', 'json'];

/**
 * Return the menu entries of a curve: `/racks/r07/curve`.
 * @param {string} curve
 * @param {Record<string, string>} [params]
 * @returns {() => import('../parts/menu.js').Entry[]}
 */
export const curve_files = (curve, params = {}) => {
  /** @param {string} format */
  const download = (format) => {
    const [start, end] = page_window().span.map((ms) => new Date(ms).toISOString());
    const link = document.createElement('a');
    link.href = path(`${curve}.${format}`, { ...params, from: start, to: end });
    link.download = '';
    link.click();
  };
  return () =>
    FORMATS.map((format) => ({
      label: 'Every reading',
      hint:
        format === 'parquet' || format === 'arrow'
          ? format.charAt(0).toUpperCase() + format.slice(1)
          : format.toUpperCase(),
      run: () => download(format),
    }));
};
