import {
  type adminAction,
  type AuditAction,
  type channelDisabled,
  type channelEnabled,
  type EventOf,
  type pricePublished,
  type quotaAdjusted,
  type topUpRefunded,
  LogType,
} from '@tollgate/contracts';
import { unixSeconds } from '@tollgate/chassis';
import { contentOf, type LogDraft } from '../log/log-row.js';

/** A row to be added to the audit log. */
export interface AuditDraft {
  eventId: string;
  /** In ISO 8601. */
  happenedAt: string;
  /** Null when the system acted by itself. */
  actorId: number | null;
  action: AuditAction;
  subject: string;
  userId?: number;
  text?: string;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

type AdminAction = EventOf<typeof adminAction>;

export const actionEntry = ({ id, time, data: { unattended, ...data } }: AdminAction): AuditDraft => ({
  eventId: id,
  happenedAt: time,
  ...data,
  actorId: unattended ? null : data.actorId,
});

/** Actions that the documents want shown to a user also become a row of that user's usage log. */
export function toActionDrafts({ id, time, data: { userId, text } }: AdminAction): LogDraft[] {
  if (userId === undefined || text === undefined) return [];
  return [{ eventId: id, createdAt: unixSeconds(time), type: LogType.manage, userId, content: contentOf(text) }];
}

export const adjustmentEntry = ({ id, time, data }: EventOf<typeof quotaAdjusted>): AuditDraft => ({
  eventId: id,
  happenedAt: time,
  actorId: data.actorId,
  action: 'quota-adjust',
  subject: `user:${data.userId}`,
  userId: data.userId,
  before: { quota: data.before },
  after: { quota: data.after },
});

export const refundEntry = ({ id, time, data }: EventOf<typeof topUpRefunded>): AuditDraft => ({
  eventId: id,
  happenedAt: time,
  actorId: data.actorId,
  action: 'top-up-refund',
  subject: `order:${data.tradeNo}`,
  userId: data.userId,
  after: { quota: data.quota, money: data.money, currency: data.currency, reason: data.reason },
});

export const publishedEntry = ({
  id,
  time,
  data: { revision, ...after },
}: EventOf<typeof pricePublished>): AuditDraft => ({
  eventId: id,
  happenedAt: time,
  actorId: null,
  action: 'price-publish',
  subject: `price:${revision}`,
  after,
});

/** Only for automatic disabling: when an administrator disables a channel, the admin action is the entry. */
export function disabledEntries({ id, time, data }: EventOf<typeof channelDisabled>): AuditDraft[] {
  if (!data.automatic) return [];
  const { channelId, name, reason, evidence } = data;
  const after = { name, reason, ...(evidence && { evidence }) };
  return [
    {
      eventId: id,
      happenedAt: time,
      actorId: null,
      action: 'channel-disabled',
      subject: `channel:${channelId}`,
      after,
    },
  ];
}

export function enabledEntries({ id, time, data }: EventOf<typeof channelEnabled>): AuditDraft[] {
  if (!data.automatic) return [];
  const { channelId, name } = data;
  return [
    {
      eventId: id,
      happenedAt: time,
      actorId: null,
      action: 'channel-enabled',
      subject: `channel:${channelId}`,
      after: { name },
    },
  ];
}
