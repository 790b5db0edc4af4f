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
  /** Units that words of the upstream's own before the prompt can cost beside all that at most; absent: nothing. */
  mostOverhead?(): number;
  /** The same with what nobody here can measure, such as films by their address: strict mode holds all of it. Absent: nothing more. */
  worstOverhead?(): number;
  /** Units of them that are in the numbers above, because the upstream was seen to charge them. */
  overhead?: number;
  /** Tokens of answers that a hold must pay for at least, to be of any use. */
  fewestTokens: number;
  /** What such requests cost before says nothing of this one, so that it never begins with less: a session goes on as long as its client likes. */
  isEndless?: boolean;
  shape: RequestShape;
}

/** Quota set aside for one running request. */
export interface Hold {
  readonly epoch: string;
  /** Units; grows with `grow`. */
  readonly amount: number;
  /** Units of it that pay for words of the upstream's own. */
  readonly overhead?: number;
  /** Set for a last call: it holds less than its bound, by what such calls are known to cost. */
  readonly known?: KnownCost;
  /** Which account had nothing left when it last could not grow; a token's budget before the wallet. */
  readonly shortOf?: 'wallet' | 'token' | undefined;
  /** Replaces the hold by the actual cost; 0 releases it. Only the first call counts. */
  settle(actual: number, outputTokens?: number): void;
  /**
   * Holds `to` units, in memory as long as the local block has them, else by asking billing. False: there is nothing left; the hold stays
   * as it was.
   */
  grow(to: number): boolean | Promise<boolean>;
}

/** What of an account is left to whoever asks now: without what running requests have set aside. Units, never below zero. */
export interface Left {
  wallet: number;
  token: number;
}

/** Why a hold was refused, with the numbers that the documented texts show. */
export class HoldRefused extends Error {
  constructor(
    readonly reason: 'wallet' | 'token',
    readonly walletQuota: number,
    readonly tokenQuota: number,
    readonly left: Left = { wallet: Math.max(0, walletQuota), token: Math.max(0, tokenQuota) },
  ) {
    super(`hold refused: ${reason}`);
  }
}
