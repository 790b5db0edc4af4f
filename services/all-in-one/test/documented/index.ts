import { accountCalls } from './account-calls.js';
import type { DocumentedCall } from './call.js';
import { consoleCalls } from './console-calls.js';
import { consumptionCalls } from './consumption-calls.js';
import { resourceCalls } from './resource-calls.js';

export type { Caller, DataKind, DocumentedCall } from './call.js';

/** Every call that the two product documents list. The last one deletes the user of the test. */
export const documentedCalls: readonly DocumentedCall[] = [
  ...accountCalls,
  ...resourceCalls,
  ...consoleCalls,
  ...consumptionCalls,
];
