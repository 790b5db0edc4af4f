import { accountCalls } from './account-calls.js';
import type { DocumentedCall } from './call.js';
import { consoleCalls } from './console-calls.js';
import { consumptionCalls } from './consumption-calls.js';
import { resourceCalls } from './resource-calls.js';

export type { Caller, DataKind, DocumentedCall } from './call.js';

/** Every call that the two documents of the product name. The last one is the end of who made them. */
export const documentedCalls: readonly DocumentedCall[] = [
  ...accountCalls,
  ...resourceCalls,
  ...consoleCalls,
  ...consumptionCalls,
];
