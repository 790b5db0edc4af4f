import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Logger, Metrics } from '@tollgate/chassis';
import { inProgress, Refusal } from '../call/refusal.js';
import type { RelayCall } from '../call/relay-call.js';
import {
  type Claim,
  IdempotencyStore,
  type KeyName,
  LOCK_SECONDS,
  type Recorded,
  type Run,
} from './idempotency-store.js';
import { type KeptAnswer, KeptResponse } from './kept-response.js';

const HEADER = 'idempotency-key';
const KEY = /^[\x21-\x7e][\x20-\x7e]{0,254}$/;
const MAX_ANSWER = 4 * 1024 * 1024;
/**
 * How long the end of an answer is delayed until the answer is stored, in milliseconds. If it could not be stored in
 * time, a repeat runs again, without a charge.
 */
const PATIENCE_MS = 5000;

/** The fields of a call that its key and kept answer need, be it a model call or the submission of a task. */
export type KeyedCall = Pick<
  RelayCall,
  | (
      | 'requestId'
      | 'headers'
      | 'response'
      | 'token'
      | 'user'
      | 'group'
      | 'model'
      | 'isStream'
      | 'isJsonArray'
      | 'bytes'
      | 'form'
    )
  | ('isAgain' | 'repeats' | 'wasCharged' | 'mayRecord')
> & {
  readonly endpoint: string;
  /** Set where addresses of one endpoint mean different things. */
  readonly path?: string;
};

/**
 * `served`: the client got an answer; `unserved`: it was refused but is charged; `free`: it was refused and pays
 * nothing.
 */
export type Ending = 'served' | 'unserved' | 'free';
type Work<Call> = (call: Call) => Promise<Ending>;
type Kind = Claim['kind'];

const refusals: Record<Exclude<Kind, 'run' | 'answer'>, () => Refusal> = {
  busy: inProgress,
  different: () =>
    new Refusal(422, '该 Idempotency-Key 已用于内容不同的请求，请换用新的 Idempotency-Key', 'idempotency_key_reused'),
  'not-kept': () =>
    new Refusal(
      409,
      '该 Idempotency-Key 的请求已完成并计费，但其回复超出保留上限，无法重放；如需重新请求，请换用新的 Idempotency-Key',
      'idempotency_answer_not_kept',
    ),
  full: () =>
    new Refusal(503, 'Idempotency-Key 的存储空间已满，请稍后重试，或不带 Idempotency-Key 请求', 'idempotency_full', {
      retryAfter: 60,
    }),
};

/**
 * Calls with an `Idempotency-Key`: a repeat gets the answer of the first call, and only one is charged. A call without
 * the header is passed through unchanged.
 */
@Injectable()
export class Idempotency {
  private readonly counted: { inc(labels: { outcome: string }): void };

  constructor(
    private readonly store: IdempotencyStore,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.counted = metrics.counter('tollgate_relay_idempotent_calls_total', 'Calls with an Idempotency-Key.', [
      'outcome',
    ]);
  }

  /** Whether the call has the header; `run` passes all others through. */
  isKeyed({ headers }: Pick<KeyedCall, 'headers'>): boolean {
    return headers[HEADER] !== undefined;
  }

  /**
   * Returns whether the client got an answer; `work` returns how the call ended. When `work` throws, the client was not
   * answered: the key is freed first, and the caller answers the error. The key of a charged call is not freed: unless
   * an answer was kept, a repeat makes up for it.
   */
  async run<Call extends KeyedCall>(call: Call, work: Work<Call>): Promise<boolean> {
    const header = call.headers[HEADER];
    return header === undefined ? (await work(call)) === 'served' : this.runNamed(call, header, work);
  }

  private async runNamed<Call extends KeyedCall>(
    call: Call,
    header: string | string[],
    work: Work<Call>,
  ): Promise<boolean> {
    const name = await nameOf(call, [header].flat().join(','));
    const claim = await this.claim(name, call);
    this.counted.inc({ outcome: claim.kind });
    if (claim.kind === 'answer') return replay(call, claim);
    if (claim.kind !== 'run') throw refusals[claim.kind]();
    return this.keeping(claim, call, work);
  }

  /**
   * Refuses the call when the store cannot be reached, because it could not be guaranteed that a repeat costs nothing.
   */
  private async claim(name: KeyName, { requestId }: KeyedCall): Promise<Claim> {
    try {
      return await this.store.claim(name, requestId);
    } catch (error) {
      throw this.unavailable(error, requestId);
    }
  }

  private unavailable(error: unknown, requestId: string): Refusal {
    this.logger.warn('an Idempotency-Key could not be looked up', { error, requestId });
    const message = 'Idempotency-Key 暂不可用，请稍后重试，或不带 Idempotency-Key 请求';
    return new Refusal(503, message, 'idempotency_unavailable', { retryAfter: 5 });
  }

  /** The id under which the run is recorded, and whether it is charged: of all runs of a key only one is. */
  private termsOf({ run, isFirst, wasCharged }: Won, { requestId, endpoint }: KeyedCall): Terms {
    if (!wasCharged) return { requestId: run.requestId, isAgain: !isFirst, mayRecord: this.recordOnce(run) };
    // A task keeps the id of its first run, whose record is its charge.
    if (endpoint === 'task') return { requestId: run.requestId, isAgain: true, wasCharged };
    return { requestId, repeats: run.requestId };
  }

  private recordOnce(run: Run): (recorded: Recorded) => Promise<boolean> {
    let recording: Promise<boolean> | undefined;
    return (recorded) =>
      (recording ??= this.store.record(run, recorded).catch((error: unknown) => {
        recording = undefined;
        throw this.unavailable(error, run.requestId);
      }));
  }

  private async keeping<Call extends KeyedCall>(claim: Won, call: Call, work: Work<Call>): Promise<boolean> {
    const { run, isFirst } = claim;
    const terms = this.termsOf(claim, call);
    const { requestId } = terms;
    const quietly = async (doing: string, task: Promise<unknown>): Promise<void> => {
      await task.catch((error: unknown) =>
        this.logger.warn(`an Idempotency-Key could not be ${doing}`, { error, requestId }),
      );
    };
    let renewed = Promise.resolve();
    const renew = (): void => void (renewed = quietly('renewed', this.store.renew(run)));
    const renewal = setInterval(renew, (LOCK_SECONDS * 1000) / 3);
    const keep = (answer: KeptAnswer): Promise<void> =>
      inTime(quietly('kept', this.store.keep(run, requestId, answer)));
    const response = new KeptResponse(call.response, { maxBytes: MAX_ANSWER, keep });
    let isOver = !isFirst;
    try {
      const ending = await work({ ...call, ...terms, response });
      isOver ||= ending !== 'free';
      // The call was charged but its answer is incomplete; a rerun would be an answer for free, so the key stays
      // without an answer.
      if (ending === 'served' && !response.isWhole) await keep(response.unkept());
      return ending === 'served';
    } catch (error) {
      isOver ||= error instanceof Refusal && error.isCharged;
      throw error;
    } finally {
      clearInterval(renewal);
      response.abandon();
      // A renewal that completed after the release would keep a repeat waiting.
      await Promise.all([response.kept, inTime(renewed)]);
      // A call that was refused or failed without a charge may be repeated as a new one. One that follows a dead run
      // may have been charged.
      await quietly('released', isOver ? this.store.release(run) : this.store.forget(run));
    }
  }
}

type Terms = Pick<KeyedCall, 'requestId' | 'isAgain' | 'repeats' | 'wasCharged' | 'mayRecord'>;
type Won = Extract<Claim, { kind: 'run' }>;

const inTime = (task: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    void task.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });

async function nameOf(call: KeyedCall, key: string): Promise<KeyName> {
  if (!KEY.test(key))
    throw new Refusal(400, 'Idempotency-Key 需为 1 至 255 个可见 ASCII 字符', 'invalid_idempotency_key', {
      param: HEADER,
    });
  const { token, user, group, endpoint, path = '', model, isStream, isJsonArray, bytes, form } = call;
  const body = form ? await form.digest() : bytes;
  // Only in Gemini's API does the address state how a stream is framed.
  const framing = isJsonArray ? ' as a list' : '';
  const print = createHash('sha256')
    .update(`${endpoint}${path}\n${model}\n${isStream}${framing}\n`)
    // In the playground the caller chooses the group, which is not part of the body at this point.
    .update(token ? '' : `${group}\n`)
    .update(body)
    .digest('base64url');
  return { scope: token ? `token/${token.id}` : `user/${user.id}`, userId: user.id, key, print };
}

function replay({ response }: KeyedCall, answer: Extract<Claim, { kind: 'answer' }>): boolean {
  response.writeHead(answer.status, {
    ...answer.headers,
    'content-length': answer.body.length,
    'idempotency-replayed': 'true',
    'x-oneapi-request-id': answer.requestId,
  });
  response.end(answer.body);
  return answer.status < 400;
}
