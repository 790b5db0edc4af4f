import { Injectable } from '@nestjs/common';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { Clock, Logger, OptionStore } from '@tollgate/platform';
import { RequestRejected } from '@tollgate/providers';
import { chooseChannel } from '../routing/choose-channel.js';
import { Admission, type Granted } from './admission.js';
import { Attempts, type AttemptFailure } from './attempts.js';
import { Refusal, toRefusal } from './refusal.js';
import type { RelayCall } from './relay-call.js';
import { mapStatus, mayRetry } from './retry-policy.js';
import { Settlement } from './settlement.js';

const BUSY = '当前分组上游负载已饱和，请稍后再试';

/** The story of one request: admit, try channels until one begins to answer, settle. */
@Injectable()
export class RelayService {
  constructor(
    private readonly admission: Admission,
    private readonly attempts: Attempts,
    private readonly settlement: Settlement,
    private readonly options: OptionStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /** Answers the client itself; throws `Refusal` when nothing was sent yet. */
  async run(call: RelayCall): Promise<void> {
    const granted = await this.admission.admit(call);
    try {
      await this.tryChannels(call, granted);
    } finally {
      // Whatever path ended the request, nothing stays set aside.
      granted.hold.settle(0);
    }
  }

  private async tryChannels(call: RelayCall, granted: Granted): Promise<void> {
    const tried = new Set<number>();
    const attempts: Attempt[] = [];
    const limit = call.channelId === undefined ? this.options.get('RetryTimes') + 1 : 1;
    let last: { failure: AttemptFailure; channel: RoutedChannel } | undefined;
    while (attempts.length < limit) {
      const channel = chooseChannel(granted.candidates, tried, Math.random);
      if (!channel) break;
      tried.add(channel.id);
      const failure = await this.attempt(call, granted, channel, attempts);
      if (!failure) return;
      last = { failure, channel };
      if (failure.aborted || !mayRetry(failure.attempt.status, channel.type)) break;
    }
    if (last) await this.fail(call, granted, last, attempts);
  }

  /** Undefined: the client was answered, or is gone and everything is recorded. */
  private async attempt(
    call: RelayCall,
    granted: Granted,
    channel: RoutedChannel,
    attempts: Attempt[],
  ): Promise<AttemptFailure | undefined> {
    try {
      const failure = await this.attempts.run(call, granted, channel, attempts);
      if (failure) attempts.push(failure.attempt);
      return failure;
    } catch (error) {
      if (error instanceof RequestRejected)
        throw new Refusal(400, error.message, error.code, { type: 'invalid_request_error' });
      throw error;
    }
  }

  private async fail(
    call: RelayCall,
    granted: Granted,
    last: { failure: AttemptFailure; channel: RoutedChannel },
    attempts: Attempt[],
  ): Promise<void> {
    const { failure, channel } = last;
    const status = mapStatus(clientStatus(failure), channel.statusCodeMapping);
    const message = status === 429 && call.endpoint !== 'messages' ? BUSY : failure.fault.message;
    const refusal = new Refusal(status, message, failure.fault.code, {
      type: failure.fault.type,
      param: failure.fault.param,
      retryAfter: failure.retryAfter,
    });
    await this.settlement.failed(
      call,
      granted,
      { attempts, channelId: channel.id },
      { status, code: failure.fault.code, type: failure.fault.type, message },
    );
    if (!failure.aborted) throw refusal;
  }

  /** A bug must not leave the client without an answer. */
  unexpected(error: unknown, call: { requestId: string }): Refusal {
    const refusal = toRefusal(error);
    if (refusal.status >= 500 && refusal.error.code === 'internal_error') {
      this.logger.error('relay failed', { error, requestId: call.requestId, at: this.clock.now() });
    }
    return refusal;
  }
}

/** A 200 with an error inside, and an upstream that never answered, have no status to pass on. */
function clientStatus({ attempt }: AttemptFailure): number {
  if (attempt.status >= 400) return attempt.status;
  if (attempt.class === 'timeout') return 504;
  if (attempt.class === 'rate-limited') return 429;
  if (attempt.class === 'credential') return 401;
  return attempt.class === 'invalid' ? 400 : 500;
}
