import { createHash } from 'node:crypto';
import type { AuditAction } from '@tollgate/contracts';
import type { Token } from './token.entity.js';

export type TokenAction = Extract<AuditAction, `token-${string}`>;
type Facts = Record<string, unknown>;

/** A longer list is named by its digest, because the audit log keeps its entries for ever and any user may add some. */
const MOST_RECORDED = 200;

const recorded = (list: string): string =>
  list.length <= MOST_RECORDED ? list : `sha256:${createHash('sha256').update(list).digest('hex')} (${list.length})`;

/** A token as the audit log records it, by wire names and without its key; nothing of a deleted one. */
export function factsOf(token: Token): Facts {
  if (token.deletedAt) return {};
  return {
    name: token.name,
    status: token.status,
    expired_time: token.expiredTime,
    remain_quota: token.remainQuota(),
    unlimited_quota: token.unlimitedQuota,
    model_limits_enabled: token.modelLimitsEnabled,
    model_limits: recorded(token.modelLimits),
    allow_ips: recorded(token.allowIps),
    group: token.group,
  };
}

/** The facts that differ, or `undefined` if none does. */
export function changeOf(before: Facts, after: Facts): { before: Facts; after: Facts } | undefined {
  const isChanged = ([name]: [string, unknown]): boolean => before[name] !== after[name];
  const changed = (facts: Facts): Facts => Object.fromEntries(Object.entries(facts).filter(isChanged));
  const change = { before: changed(before), after: changed(after) };
  return Object.keys({ ...change.before, ...change.after }).length === 0 ? undefined : change;
}
