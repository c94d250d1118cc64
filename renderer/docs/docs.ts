/**
 * The page at /docs: the server's OpenAPI document, to read and to try, without anything from the network. A page of its
 * own, so that the chat window does not carry it.
 */
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './docs.css';

// Swagger UI has a dark look and leaves it to the page when.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

SwaggerUI({
  url: './openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  // Schemas are long, and are shown where they are used.
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
