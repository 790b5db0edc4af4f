import type { FundKind } from '@tollgate/contracts';
import type { KnownCost, RequestShape } from './cost-memory.js';

export interface HoldRequest {
  userId: number;
  /** 0 when only the wallet pays (playground, unlimited token). */
  tokenId: number;
  /**
   * `least`: units without which the request does not begin beside others; `most`: the highest cost. Both are the same
   * where the client sets a limit.
   */
  least: number;
  most: number;
  /** Units without which the request is refused when nothing else runs on the account; `least` if absent. */
  leastAlone?: number;
  /** The highest cost in units of a request with this many tokens of answers. */
  costOf(outputTokens: number): number;
  /**
   * The highest cost in units of the upstream's own words before the prompt, in addition to the amounts above; absent
   * when there are none.
   */
  mostOverhead?(): number;
  /**
   * Like `mostOverhead`, including parts that cannot be measured here, such as videos given by URL; strict mode holds
   * all of it. Absent when there is nothing more.
   */
  worstOverhead?(): number;
  /** Units of overhead that `least` and `most` include, because the upstream was observed to charge them. */
  overhead?: number;
  /** Tokens of answers that a hold must at least pay for to be of any use. */
  fewestTokens: number;
  /**
   * A session lasts as long as its client likes, so earlier costs do not predict this one, and it never begins with
   * less than `least`.
   */
  isEndless?: boolean;
  shape: RequestShape;
}

export interface Shortage {
  account: FundKind;
  /** Units of the account that the hold could still have taken, and the units by which it was to grow. */
  left: number;
  need: number;
}

/** Quota set aside for one running request. */
export interface Hold {
  readonly epoch: string;
  /** Units; grows with `grow`. */
  readonly amount: number;
  /** Units of it that pay for the upstream's own words. */
  readonly overhead?: number;
  /** Set for a last call: the hold is smaller than its bound, by what such calls are known to cost. */
  readonly known?: KnownCost;
  /** What was missing when the hold last could not grow; a token's budget takes precedence over the wallet. */
  readonly shortage?: Shortage | undefined;
  /** Replaces the hold by the actual cost; 0 releases it. Further calls have no effect. */
  settle(actual: number, outputTokens?: number): void;
  /**
   * Raises the hold to `to` units, from the local block if it suffices, otherwise from billing. False when there is not
   * enough quota; the hold then stays as it was.
   */
  grow(to: number): boolean | Promise<boolean>;
}

/**
 * Units of both accounts that a new request could use, without what running requests have set aside. Never below zero.
 */
interface Left {
  wallet: number;
  token: number;
}

/** Thrown when a hold is refused, with the amounts that the documented texts show. */
export class HoldRefused extends Error {
  constructor(
    readonly reason: FundKind,
    readonly walletQuota: number,
    readonly tokenQuota: number,
    readonly left: Left = { wallet: Math.max(0, walletQuota), token: Math.max(0, tokenQuota) },
  ) {
    super(`hold refused: ${reason}`);
  }
}
