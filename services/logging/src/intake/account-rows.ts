import type {
  EventOf,
  quotaAdjusted,
  quotaGranted,
  redemptionRedeemed,
  taskRefunded,
  topUpCompleted,
  topUpRefunded,
} from '@tollgate/contracts';
import { unixSeconds } from '@tollgate/chassis';
import { LogType } from '../log/log.entity.js';
import type { LogDraft } from '../log/log-row.js';

type QuotaGranted = EventOf<typeof quotaGranted>;
type QuotaAdjusted = EventOf<typeof quotaAdjusted>;

/** The three gifts at registration have the reference's texts; the other two grants do not exist there. */
const grantTexts: Record<QuotaGranted['data']['code'], string> = {
  'new-user-gift': '新用户注册赠送',
  'invitee-gift': '使用邀请码赠送',
  'inviter-reward': '邀请用户赠送',
  'setup-grant': '系统初始化赠送',
  'affiliate-transfer': '邀请奖励划转到余额',
};

export const toGrantDraft = ({ id, time, data }: QuotaGranted): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.system,
  userId: data.userId,
  content: `${grantTexts[data.code]} ${data.quotaText}`,
});

export const toAdjustmentDraft = ({ id, time, data }: QuotaAdjusted): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.admin,
  userId: data.userId,
  content: `管理员将用户额度从 ${data.beforeText}修改为 ${data.afterText}`,
});

export const toRedemptionDraft = ({ id, time, data }: EventOf<typeof redemptionRedeemed>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.topUp,
  userId: data.userId,
  content: `通过兑换码充值 ${data.quotaText}，兑换码ID ${data.redemptionId}`,
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
  content: `使用在线充值成功，充值金额: ${data.quotaText}，支付金额：${withSixDecimals(data.money)}`,
});

export const toRefundDraft = ({ id, time, data }: EventOf<typeof topUpRefunded>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.admin,
  userId: data.userId,
  content: `管理员退款，订单 ${data.tradeNo}，退回额度: ${data.quotaText}，退款金额：${withSixDecimals(data.money)}`,
});

/** The reference's texts, by platform. */
const failedTexts = { midjourney: '构图失败', suno: '异步任务执行失败' } as const;

export const toTaskRefundDraft = ({ id, time, data }: EventOf<typeof taskRefunded>): LogDraft => ({
  eventId: id,
  createdAt: unixSeconds(time),
  type: LogType.system,
  userId: data.userId,
  content: `${failedTexts[data.platform]} ${data.upstreamId}，补偿 ${data.quotaText}`,
});
