import { defineRoutes } from './define-routes.js';

/** Calls that the gateway answers itself. */
export const gatewayRoutes = defineRoutes('gateway', {
  watchChanges: { method: 'GET', path: '/api/live', auth: 'navigation', minRole: 1, rate: 'api' },
});
