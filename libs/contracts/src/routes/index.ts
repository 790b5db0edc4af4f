import { billingRoutes } from './billing.js';
import { channelRoutes } from './channel.js';
import type { OwnedRouteRow } from './define-routes.js';
import { gatewayRoutes } from './gateway.js';
import { identityRoutes } from './identity.js';
import { loggingRoutes } from './logging.js';
import { relayRoutes } from './relay.js';

export * from './define-routes.js';
export { billingRoutes, channelRoutes, gatewayRoutes, identityRoutes, loggingRoutes, relayRoutes };
export { unimplementedRelayRoutes } from './relay.js';

/** The table of all routes: who owns a path, who may call it, how often, and with how large a body. */
export const routes = {
  ...identityRoutes,
  ...billingRoutes,
  ...channelRoutes,
  ...loggingRoutes,
  ...relayRoutes,
  ...gatewayRoutes,
};
export type OperationId = keyof typeof routes;
export const allRoutes: readonly OwnedRouteRow[] = Object.values(routes);
