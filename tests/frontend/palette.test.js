// The colours of the themes: contrast by WCAG 2.2, and series that differ for people who see few colours.
// Dichromats are simulated as by Machado, Oliveira and Fernandes (2009), severity 1; a difference is CIE76 in Lab.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const css = readFileSync(new URL('../../frontend/css/wattline.css', import.meta.url), 'utf8');

/** @param {string} selector */
function tokens(selector) {
  const start = css.indexOf(`${selector} {`);
  const block = css.slice(start, css.indexOf('}', start));
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, hex]) => [name, hex]));
}

const THEMES = { light: tokens(':root'), dark: tokens(':root[data-theme="dark"]') };

/** @param {string} hex  sRGB → linear light */
const linear = (hex) =>
  [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));

/** @param {number[]} rgb  relative luminance, WCAG 2.2 */
const luminance = ([r = 0, g = 0, b = 0]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/**
 * @param {string} a
 * @param {string} b
 */
function contrast(a, b) {
  const [low = 0, high = 0] = [luminance(linear(a)), luminance(linear(b))].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** @type {Record<string, number[][]>} */
const SEEN_BY = {
  everyone: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanope: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranope: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanope: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/**
 * @param {number[][]} matrix
 * @param {number[]} v
 */
const times = (matrix, v) => matrix.map((row) => row.reduce((sum, x, i) => sum + x * (v[i] ?? 0), 0));

/** @param {number[]} rgb  linear light → CIE L*a*b*, D65 */
function lab(rgb) {
  const clipped = rgb.map((c) => Math.min(1, Math.max(0, c)));
  const xyz = times(
    [
      [0.4124, 0.3576, 0.1805],
      [0.2126, 0.7152, 0.0722],
      [0.0193, 0.1192, 0.9505],
    ],
    clipped,
  );
  const [x = 0, y = 0, z = 0] = xyz
    .map((v, i) => v / ([0.95047, 1, 1.08883][i] ?? 1))
    .map((t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/**
 * @param {string} a
 * @param {string} b
 * @param {number[][]} matrix
 */
const difference = (a, b, matrix) => {
  const [one, two] = [a, b].map((hex) => lab(times(matrix, linear(hex))));
  return Math.hypot(...(one ?? []).map((v, i) => v - (two?.[i] ?? 0)));
};

test('the formulas give what their standards say', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.ok(Math.abs(contrast('#777777', '#ffffff') - 4.48) < 0.005); // the well-known grey that just fails
  assert.ok(Math.abs(difference('#000000', '#ffffff', SEEN_BY.everyone ?? []) - 100) < 0.01);
});

for (const [name, theme] of Object.entries(THEMES)) {
  test(`text is legible in the ${name} theme`, () => {
    for (const ink of ['ink', 'ink-2', 'ink-3', 'accent', 'ok', 'warn', 'crit'])
      for (const ground of ['bg', 'surface', 'surface-2'])
        assert.ok(contrast(theme[ink] ?? '', theme[ground] ?? '') >= 4.5, `${ink} on ${ground}`);
  });

  test(`curves stand out from the ${name} ground`, () => {
    for (const line of ['power', 'gpu', 'aux', 'load', 'idle'])
      assert.ok(contrast(theme[line] ?? '', theme.surface ?? '') >= 3, `${line} on surface`);
  });

  for (const [who, matrix] of Object.entries(SEEN_BY))
    test(`series of one chart differ for a ${who} in the ${name} theme`, () => {
      const series = ['power', 'gpu', 'aux', 'load'];
      for (const [i, a] of series.entries())
        for (const b of series.slice(i + 1)) {
          const seen = difference(theme[a] ?? '', theme[b] ?? '', matrix);
          assert.ok(seen >= 10, `${a} and ${b}: ${seen.toFixed(1)}`);
        }
    });
}

test('the steps of a tile differ in lightness, which everyone sees', () => {
  for (const theme of Object.values(THEMES)) {
    const steps = ['q0', 'q1', 'q2', 'q3', 'q4', 'q5'].map((step) => luminance(linear(theme[step] ?? '')));
    const rising = steps.map((v, i) => Math.sign(v - (steps[i - 1] ?? v))).slice(1);
    assert.equal(new Set(rising).size, 1);
  }
});
