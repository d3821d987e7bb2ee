// @ts-check
// The API reference: Swagger UI, served by this host (/docs/swagger-ui-bundle.js), reads /api/v1/openapi.json.
import '../core/layout.js';
import { PREFIX } from '../core/prefix.js';

const root = document.documentElement;
// dark-mode is the class that Swagger UI knows
const follow = () => root.classList.toggle('dark-mode', root.dataset.theme === 'dark');
document.addEventListener('wl-theme', follow);
follow();

SwaggerUIBundle({
  url: `${PREFIX}/api/v1/openapi.json`,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  displayRequestDuration: true,
  validatorUrl: null,
});
