import { Injectable } from '@nestjs/common';
import type { Attempt, RoutedChannel } from '@tollgate/contracts';
import { Clock, Host, Logger, openWebSocket, OptionStore, OutboundClient, UpgradeRefused } from '@tollgate/chassis';
import {
  checkSendable,
  classifyError,
  type ChannelTarget,
  ChannelUnusable,
  dialectSettings,
  findProvider,
  RequestRejected,
} from '@tollgate/providers';
import type { WebSocket } from 'ws';
import type { RouteTaken } from '../call/outcome.js';
import type { BilledCall, RelayCall } from '../call/relay-call.js';
import {
  type AttemptFailure,
  networkFailureOf,
  rejectionOf,
  statedFailureOf,
  unusableFailureOf,
} from '../retry/attempt-failure.js';
import { secretsOfChannel, targetOf } from '../upstream/channel-target.js';
import { refusalAfter } from '../retry/last-refusal.js';
import { GivenUp, Retries, type Round, type Sender } from '../retry/retries.js';
import { ChannelBreakers } from '../routing/channel-breakers.js';
import { wayOf } from '../upstream/way.js';
import { socketFailure, statusOfRefused } from '../upstream/socket-upstream.js';
import type { KeyedChannel } from '../routing/key-choice.js';

/** Most bytes of one message, about a minute of sound; a larger message ends the session. */
export const MAX_FRAME = 16 * 1024 * 1024;

export interface DialRequest extends BilledCall, Pick<RelayCall, 'headers' | 'apiVersion'> {
  readonly endpoint: 'realtime';
}

interface Dialled {
  socket: WebSocket;
  channel: KeyedChannel;
  route: RouteTaken;
}

interface DialTry {
  channel: KeyedChannel;
  target: ChannelTarget;
  call: { json: Record<string, never> };
  accountWords(): readonly string[];
  elapsed(): number;
}

/** A session that is to be opened. */
interface DialRound extends Round {
  readonly call: DialRequest;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** Opens the upstream's side of a session. */
@Injectable()
export class Dialer implements Sender<DialRound, Dialled, AttemptFailure> {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly options: OptionStore,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly host: Host,
    private readonly retries: Retries,
    private readonly breakers: ChannelBreakers,
  ) {}

  /** Throws a `Refusal` where no channel accepts the session; `attempts` then lists the channels that were tried. */
  async dial(
    call: DialRequest,
    candidates: readonly RoutedChannel[],
    attempts: Attempt[],
    signal: AbortSignal,
  ): Promise<Dialled> {
    const round = { call, candidates, attempts, signal };
    const outcome = await this.retries.run<DialRound, Dialled, AttemptFailure>(this, round);
    if (outcome instanceof GivenUp) throw refusalAfter(call, outcome);
    return outcome;
  }

  hasLeft({ signal }: DialRound): boolean {
    return signal.aborted;
  }

  async send({ call, attempts, signal }: DialRound, channel: KeyedChannel): Promise<Dialled | AttemptFailure> {
    const adapter = findProvider(channel.type)?.realtime;
    if (!adapter) throw new Error(`channel type ${channel.type} has no realtime`);
    const startedMono = this.clock.monotonic();
    const elapsed = (): number => this.clock.monotonic() - startedMono;
    try {
      const settings = dialectSettings(this.options, this.host.env);
      const target = targetOf(channel, call.model, { settings, nowMs: this.clock.now() });
      checkSendable(target);
      const current: DialTry = {
        ...{ channel, target, elapsed, call: { json: {} } },
        accountWords: () => this.options.get('AutomaticDisableKeywords'),
      };
      const { url, headers } = adapter.toUpstream(call, target);
      const { proxy, firstByteMs } = wayOf(target.setting);
      const opened = await openWebSocket(this.outbound, {
        ...{ kind: 'channel', url, headers, signal, maxPayload: MAX_FRAME },
        proxy,
        timeoutMs: Math.min(this.host.env.TOLLGATE_UPSTREAM_TIMEOUT_SECONDS * 1000, firstByteMs),
      }).catch((error: unknown) => this.failureOf(current, error, call));
      if ('fault' in opened) return opened;
      this.breakers.succeeded(channel.id);
      const attempt: Attempt = {
        ...{ channelId: channel.id, channelType: channel.type, class: 'ok', status: 101 },
        ...(channel.keyId !== undefined && { keyId: channel.keyId }),
        durationMs: Math.round(elapsed()),
      };
      const route = { attempts: [...attempts, attempt], channelId: channel.id, upstreamModel: target.model };
      return { socket: opened, channel, route };
    } catch (error) {
      if (error instanceof RequestRejected) return rejectionOf(channel, error, 'realtime');
      if (error instanceof ChannelUnusable) return unusableFailureOf(channel, error);
      throw error;
    }
  }

  private failureOf(current: DialTry, error: unknown, { requestId }: BilledCall): AttemptFailure {
    const { channel } = current;
    if (error instanceof UpgradeRefused) {
      const { body, headers } = error;
      const status = statusOfRefused(error);
      const secrets = secretsOfChannel(channel);
      const fault = classifyError({ status, body, channelType: channel.type, secrets });
      return statedFailureOf(current, status, fault, headers);
    }
    this.logger.warn('upstream did not open a session', { error, channelId: channel.id, requestId });
    return networkFailureOf(current, socketFailure(error as Error));
  }
}
