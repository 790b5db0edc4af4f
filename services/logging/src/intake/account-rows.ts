import {
  type EventOf,
  type quotaAdjusted,
  type quotaGranted,
  type redemptionRedeemed,
  type taskRefunded,
  type topUpCompleted,
  type topUpRefunded,
  LogType,
} from '@tollgate/contracts';
import { logText } from '@tollgate/contracts/log-texts';
import { unixSeconds } from '@tollgate/chassis';
import type { LogDraft } from '../log/log-row.js';

export const toGrantDraft = ({ id, time, data }: EventOf<typeof quotaGranted>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.system,
  userId: data.userId,
  content: logText(data.code, { quota: data.quotaText }),
});

export const toAdjustmentDraft = ({ id, time, data }: EventOf<typeof quotaAdjusted>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.manage,
  userId: data.userId,
  content: logText('admin-adjustment', { before: data.beforeText, after: data.afterText }),
});

export const toRedemptionDraft = ({ id, time, data }: EventOf<typeof redemptionRedeemed>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.topUp,
  userId: data.userId,
  content: logText('redemption', { quota: data.quotaText, id: data.redemptionId }),
});

/** Six decimals, as in the reference. */
const withSixDecimals = (money: string): string => {
  const [whole = '0', fraction = ''] = money.split('.');
  return `${whole}.${fraction.padEnd(6, '0').slice(0, 6)}`;
};

export const toTopUpDraft = ({ id, time, data }: EventOf<typeof topUpCompleted>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.topUp,
  userId: data.userId,
  content: logText('top-up', { quota: data.quotaText, money: withSixDecimals(data.money) }),
});

export const toRefundDraft = ({ id, time, data }: EventOf<typeof topUpRefunded>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.manage,
  userId: data.userId,
  content: logText('refund', {
    order: data.tradeNo,
    quota: data.quotaText,
    money: withSixDecimals(data.money),
  }),
});

export const toTaskRefundDraft = ({ id, time, data }: EventOf<typeof taskRefunded>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.system,
  userId: data.userId,
  content: logText(`${data.platform}-refund`, { task: data.upstreamId, quota: data.quotaText }),
});
