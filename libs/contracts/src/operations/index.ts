import type { z } from 'zod';
import { channelSchema } from '../api/channel.js';
import { logSchema, quotaDataSchema } from '../api/log.js';
import { optionSchema } from '../api/option.js';
import { pricingRowSchema } from '../api/pricing.js';
import { redemptionSchema } from '../api/redemption.js';
import { statusSchema } from '../api/status.js';
import { tokenSchema } from '../api/token.js';
import { sessionUserSchema, userSchema } from '../api/user.js';
import type { OperationId } from '../routes/index.js';
import { billingOperations } from './billing.js';
import { channelOperations } from './channel.js';
import type { OperationDocument } from './define-operations.js';
import { gatewayOperations } from './gateway.js';
import { identityOperations } from './identity.js';
import { loggingOperations } from './logging.js';
import { relayOperations, relaySchemas } from './relay.js';

export type { OperationDocument } from './define-operations.js';

/** One entry per row of the route table; the compiler reports a missing one. */
export const operations: Record<OperationId, OperationDocument> = {
  ...identityOperations,
  ...billingOperations,
  ...channelOperations,
  ...loggingOperations,
  ...relayOperations,
  ...gatewayOperations,
};

/** Schemas shared by several calls, by their names in the document. */
export const namedSchemas: Record<string, z.ZodType> = {
  Channel: channelSchema,
  Log: logSchema,
  Option: optionSchema,
  PricingRow: pricingRowSchema,
  QuotaData: quotaDataSchema,
  Redemption: redemptionSchema,
  SessionUser: sessionUserSchema,
  Status: statusSchema,
  Token: tokenSchema,
  User: userSchema,
  ...relaySchemas,
};
