import { defineRoutes } from './define-routes.js';

/** What the edge answers itself. */
export const gatewayRoutes = defineRoutes('gateway', {
  watchChanges: { method: 'GET', path: '/api/live', auth: 'navigation', minRole: 1, rate: 'api' },
});
