import { liveQuerySchema } from '../api/live.js';
import type { gatewayRoutes } from '../routes/gateway.js';
import type { OperationDocument } from './define-operations.js';

export const gatewayOperations = {
  watchChanges: {
    summary:
      'Server-sent events that say what the console should ask for again: `{"changed": ["status" | "user" | "usage" | "channels"]}`.',
    query: liveQuerySchema,
    streams: true,
  },
} as const satisfies Record<keyof typeof gatewayRoutes, OperationDocument>;
