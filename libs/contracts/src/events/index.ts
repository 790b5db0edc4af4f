import {
  adminAction,
  optionChanged,
  pricePublished,
  quotaAdjusted,
  quotaGranted,
  quotaLow,
  redemptionRedeemed,
  setupCompleted,
  tokenChanged,
  topUpCompleted,
  topUpRefunded,
  userChanged,
  userErased,
  userRegistered,
} from './account-events.js';
import {
  channelChanged,
  channelDisabled,
  channelEnabled,
  channelTested,
  channelTestsFinished,
} from './channel-events.js';
import type { EventContract } from './define-event.js';
import { requestConsumed } from './request-consumed.js';
import { taskCharged, taskRefunded, taskUpdated } from './task-events.js';

export * from './define-event.js';
export * from './event-documents.js';
export * from './account-events.js';
export * from './channel-events.js';
export * from './limits.js';
export * from './request-consumed.js';
export * from './task-events.js';

/** Every published event; topics, partitions and documents are derived from this list. */
export const allEvents: readonly EventContract[] = [
  requestConsumed,
  quotaGranted,
  quotaAdjusted,
  redemptionRedeemed,
  topUpCompleted,
  topUpRefunded,
  quotaLow,
  tokenChanged,
  pricePublished,
  userRegistered,
  userChanged,
  userErased,
  optionChanged,
  setupCompleted,
  adminAction,
  channelChanged,
  channelDisabled,
  channelEnabled,
  channelTested,
  channelTestsFinished,
  taskCharged,
  taskUpdated,
  taskRefunded,
] as readonly EventContract[];
