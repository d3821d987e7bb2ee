import js from '@eslint/js';
import globals from 'globals';

const LINE = { code: 120, ignorePattern: '^import .* from ' };

const HTML = {
  selector: 'AssignmentExpression[left.property.name="innerHTML"]',
  message: 'Use fill() of core/dom.js: a repaint keeps the focus.',
};

export default [
  { ignores: ['**/node_modules/'] },
  js.configs.recommended,
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    rules: {
      'max-len': ['error', LINE],
      'max-lines': ['error', 300],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-implicit-globals': 'error',
    },
  },
  {
    files: ['**/frontend/js/**'],
    ignores: ['**/core/dom.js'],
    rules: { 'no-restricted-syntax': ['error', HTML] },
  },
  {
    files: ['**/frontend/js/**'],
    languageOptions: { globals: { ...globals.browser, Plotly: 'readonly', SwaggerUIBundle: 'readonly' } },
  },
  { files: ['**/tests/frontend/**'], languageOptions: { globals: { ...globals.node, location: 'readonly' } } },
];
