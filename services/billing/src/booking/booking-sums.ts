import type { EventBatch, FundKind, requestConsumed } from '@tollgate/contracts';
import { isRequest } from './posting-reason.js';

export type Consumption = EventBatch<typeof requestConsumed>[number];

interface AccountSum {
  id: number;
  spent: number;
  requests: number;
}
interface TokenSum {
  id: number;
  spent: number;
  /** Unix seconds of the latest use. */
  accessed: number;
}
export interface LeaseSum {
  kind: FundKind;
  account_id: number;
  replica_epoch: string;
  booked: number;
}

export interface BookingSums {
  accounts: AccountSum[];
  tokens: TokenSum[];
  leases: LeaseSum[];
}

const byId = (first: { id: number }, second: { id: number }): number => first.id - second.id;

/**
 * What a batch adds to each balance: one row per balance, sorted in the order in which rows are locked.
 */
export function sumsOf(batch: readonly Consumption[]): BookingSums {
  const accounts = new Map<number, AccountSum>();
  const tokens = new Map<number, TokenSum>();
  const leases = new Map<string, LeaseSum>();
  const addLease = (kind: LeaseSum['kind'], id: number, { data }: Consumption): void => {
    const key = `${kind}:${id}:${data.replicaEpoch}`;
    const row = leases.get(key) ?? { kind, account_id: id, replica_epoch: data.replicaEpoch, booked: 0 };
    leases.set(key, { ...row, booked: row.booked + data.quota });
  };
  for (const event of batch) {
    const { userId, tokenId, quota, startedAt } = event.data;
    const account = accounts.get(userId) ?? { id: userId, spent: 0, requests: 0 };
    accounts.set(userId, {
      id: userId,
      spent: account.spent + quota,
      requests: account.requests + (isRequest(event.data) ? 1 : 0),
    });
    addLease('wallet', userId, event);
    if (tokenId === 0) continue;
    const token = tokens.get(tokenId) ?? { id: tokenId, spent: 0, accessed: 0 };
    const accessed = Math.max(token.accessed, Math.floor(Date.parse(startedAt) / 1000));
    tokens.set(tokenId, { id: tokenId, spent: token.spent + quota, accessed });
    addLease('token', tokenId, event);
  }
  return {
    accounts: [...accounts.values()].sort(byId),
    tokens: [...tokens.values()].sort(byId),
    leases: [...leases.values()],
  };
}
