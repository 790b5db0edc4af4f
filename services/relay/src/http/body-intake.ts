import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { TokenRecord, UserRecord } from '@tollgate/contracts';
import { Host, letBodyCome, Metrics } from '@tollgate/chassis';
import { Budget } from '../budget/budget.js';
import { HoldRefused } from '../budget/hold.js';
import { Refusal } from '../call/refusal.js';
import { codingOf, readBody } from '../body/body-reader.js';
import { ByteBudget, type ByteClaim } from '../body/byte-budget.js';
import { tokenUsedUp } from '../access/gatekeeper.js';
import type { HotRequest } from './hot-request.js';
import { UploadedForm } from '../body/uploaded-form.js';

/**
 * A plain body up to this size is read before the caller's wallet is checked, so that a faulty request is refused for
 * its fault first.
 */
const SMALL_BODY = 64 * 1024;
const MAX_BODY = 64 * 1024 * 1024;
/**
 * Milliseconds without a byte after which an upload is refused. Node itself only ends a request that is incomplete
 * after 120 s.
 */
const IDLE_MS = 20_000;
const BOUNDS = { maxBytes: MAX_BODY, idleMs: IDLE_MS };
const MAX_UNPAID = 1024 * 1024;
const MB = 1024 * 1024;

/** A caller who may send a body. */
export interface Sender {
  user: UserRecord;
  /** `undefined` in the playground. */
  token: TokenRecord | undefined;
}

/** Reads the bodies of authenticated callers, as long as the memory budgets allow. */
@Injectable()
export class BodyIntake {
  private readonly budget: ByteBudget;
  private readonly refusals: { inc(labels: { reason: string }): void };

  constructor(
    host: Host,
    private readonly funds: Budget,
    metrics: Metrics,
  ) {
    const { env } = host;
    this.budget = new ByteBudget({
      process: env.TOLLGATE_BODIES_MB * MB,
      user: env.TOLLGATE_BODIES_PER_USER_MB * MB,
      address: env.TOLLGATE_BODIES_PER_ADDRESS_MB * MB,
    });
    metrics.measured('tollgate_relay_body_bytes', 'Request bodies in memory, with what is made of them.', [], () =>
      Promise.resolve([{ labels: {}, value: this.budget.inFlight }]),
    );
    this.refusals = metrics.counter(
      'tollgate_relay_refused_bodies_total',
      'Request bodies that were not read to their end.',
      ['reason'],
    );
  }

  /**
   * Reads the body and passes it to `work`, which may claim more memory. All of the claim is released when `work` ends.
   */
  async receive<Result>(
    request: HotRequest,
    sender: Sender,
    work: (bytes: Buffer, claim: ByteClaim) => Promise<Result>,
  ): Promise<Result> {
    const claim = this.budget.claim(sender.user.id, request.address);
    try {
      return await work(await this.read(request, sender, claim), claim);
    } finally {
      claim.release();
    }
  }

  /** Reads a body of at most 1 MiB for a call that costs nothing; the caller's funds are not checked. */
  async receiveUnpaid<Result>(
    request: HotRequest,
    work: (bytes: Buffer, claim: ByteClaim) => Promise<Result>,
  ): Promise<Result> {
    const claim = this.budget.claim(0, request.address);
    try {
      letBodyCome(request.raw, request.response);
      const limits = { maxBytes: MAX_UNPAID, idleMs: IDLE_MS };
      return await work(await this.counted(() => readBody(request.raw, limits, claim)), claim);
    } finally {
      claim.release();
    }
  }

  /**
   * Like `receive`, for a form with a file: `work` starts as soon as the field `until` was read, or the form is
   * complete.
   */
  async receiveForm<Result>(
    { raw, response, address }: HotRequest,
    sender: Sender,
    until: string,
    work: (form: UploadedForm) => Promise<Result>,
  ): Promise<Result> {
    const claim = this.budget.claim(sender.user.id, address);
    try {
      const form = await this.counted(async () => {
        await this.checkFunds(sender);
        letBodyCome(raw, response);
        const begun = new UploadedForm(raw, BOUNDS, claim);
        await begun.untilField(until);
        return begun;
      });
      return await work(form);
    } finally {
      claim.release();
    }
  }

  private async read({ raw, response }: HotRequest, sender: Sender, claim: ByteClaim): Promise<Buffer> {
    try {
      if (!isSmall(raw)) await this.checkFunds(sender);
      letBodyCome(raw, response);
      return await readBody(raw, BOUNDS, claim);
    } catch (error) {
      throw this.noted(error);
    }
  }

  private async counted<Result>(read: () => Promise<Result>): Promise<Result> {
    try {
      return await read();
    } catch (error) {
      throw this.noted(error);
    }
  }

  private noted(error: unknown): unknown {
    if (error instanceof Refusal) this.refusals.inc({ reason: error.error.code });
    return error;
  }

  /**
   * Refuses a caller who has nothing left to spend. A caller whose quota is only lent out elsewhere passes: the call
   * waits for it in admission, where its cost is known.
   */
  private async checkFunds({ user, token }: Sender): Promise<void> {
    const tokenId = token && !token.unlimitedQuota ? token.id : 0;
    try {
      await this.funds.requireFunds({ userId: user.id, tokenId });
    } catch (error) {
      if (!(error instanceof HoldRefused)) throw error;
      if (token && error.reason === 'token') throw tokenUsedUp(token, error.tokenQuota);
      throw new Refusal(403, 'user quota is not enough', 'insufficient_user_quota');
    }
  }
}

const isSmall = (raw: IncomingMessage): boolean =>
  raw.headers['transfer-encoding'] === undefined &&
  codingOf(raw) === '' &&
  Number(raw.headers['content-length'] ?? 0) <= SMALL_BODY;
