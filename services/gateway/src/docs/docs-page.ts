/** Allows nothing from other origins and no inline scripts; the viewer needs inline styles. */
export const docsPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

export const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Tollgate API</title>
    <link rel="stylesheet" href="/api/docs/assets/swagger-ui.css" />
  </head>
  <body>
    <main id="docs"></main>
    <noscript>The document itself: <a href="/api/openapi.json">openapi.json</a></noscript>
    <script src="/api/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/api/docs/assets/start.js"></script>
  </body>
</html>
`;

/**
 * Runs in the browser. Calls that a reader tries out are sent with the session, which is accepted only together with
 * the id of the signed-in user.
 */
export const startScript = `'use strict';
const signedIn = () => {
  try {
    return JSON.parse(localStorage.getItem('user'))?.id;
  } catch {
    return undefined;
  }
};
SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  displayOperationId: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  requestInterceptor(request) {
    const id = signedIn();
    if (id !== undefined && !request.headers['New-Api-User']) request.headers['New-Api-User'] = String(id);
    return request;
  },
});
`;
