import type { KnownCost, RequestShape } from './cost-memory.js';

export interface HoldRequest {
  userId: number;
  /** 0: only the wallet pays (playground, unlimited token). */
  tokenId: number;
  /** Units without which the request is refused, and the most it can cost; the same where the client sets a limit. */
  least: number;
  most: number;
  /** Units that a request with so many tokens of answers costs at most. */
  costOf(outputTokens: number): number;
  /** A hold that pays for fewer tokens of answers is of no use. */
  fewestTokens: number;
  shape: RequestShape;
}

/** Quota set aside for one running request. */
export interface Hold {
  readonly epoch: string;
  /** Units; grows with `grow`. */
  readonly amount: number;
  /** Set for a last call: it holds less than its bound, by what such calls are known to cost. */
  readonly known?: KnownCost;
  /** Replaces the hold by the actual cost; 0 releases it. Only the first call counts. */
  settle(actual: number, outputTokens?: number): void;
  /**
   * Holds `to` units, in memory as long as the local block has them, else by asking billing. False: there is nothing left; the hold stays
   * as it was.
   */
  grow(to: number): boolean | Promise<boolean>;
}

/** Why a hold was refused, with the numbers that the documented texts show. */
export class HoldRefused extends Error {
  constructor(
    readonly reason: 'wallet' | 'token',
    readonly walletQuota: number,
    readonly tokenQuota: number,
  ) {
    super(`hold refused: ${reason}`);
  }
}
