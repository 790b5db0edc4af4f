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
/** The end of an answer waits so long until it is kept; where it is not, a repeat runs again, for nothing. */
const PATIENCE_MS = 5000;

/** What a key and its answer need of a call, be it of a model or the submission of a task. */
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
  /** Where one endpoint has several addresses that mean different things. */
  readonly path?: string;
};

/** The client got an answer; it was refused what it pays for; it was refused and pays nothing. */
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
 * Calls with an `Idempotency-Key`: whoever repeats one gets the answer of the first, and pays once. A call without the header passes through
 * untouched.
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

  /**
   * Whether the client got an answer, as `work` tells how it ended. When `work` throws, the client was not told the end: whoever catches it tells it, once
   * the key is free again. After what was charged it is not: unless an answer was kept, a repeat makes up for it.
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

  /** Without the store nobody can promise that a repeat costs nothing. */
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

  /** Under which id the run is recorded, and what it costs: of all runs of a key one is charged. */
  private termsOf({ run, isFirst, wasCharged }: Won, { requestId, endpoint }: KeyedCall): Terms {
    if (!wasCharged) return { requestId: run.requestId, isAgain: !isFirst, mayRecord: this.recordOnce(run) };
    // A task is known by the id of its first run, whose record is its charge.
    if (endpoint === 'task') return { requestId: run.requestId, isAgain: true, wasCharged };
    return { requestId, repeats: run.requestId };
  }

  private recordOnce(run: Run): (recorded: Recorded) => Promise<boolean> {
    let asked: Promise<boolean> | undefined;
    return (recorded) =>
      (asked ??= this.store.record(run, recorded).catch((error: unknown) => {
        asked = undefined;
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
      // Charged, but nobody has all of it: a repeat would be an answer for nothing.
      if (ending === 'served' && !response.isWhole) await keep(response.unkept());
      return ending === 'served';
    } catch (error) {
      isOver ||= error instanceof Refusal && error.isCharged;
      throw error;
    } finally {
      clearInterval(renewal);
      response.abandon();
      // A lock that comes after its end would keep a repeat waiting.
      await Promise.all([response.kept, inTime(renewed)]);
      // A call that was refused or failed costs nothing, and may be made again; one that died before may have been charged.
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
  // Of Gemini's API, whose address says how a stream is framed.
  const framing = isJsonArray ? ' as a list' : '';
  const print = createHash('sha256')
    .update(`${endpoint}${path}\n${model}\n${isStream}${framing}\n`)
    // In the playground a call chooses its group, which is no part of the body any more.
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
