import { Injectable } from '@nestjs/common';
import type { Attempt } from '@tollgate/contracts';
import { AccessTokens, AppError, Clock, Host, OptionStore } from '@tollgate/chassis';
import {
  authorized,
  ChannelUnusable,
  checkSendable,
  type ClientRequest,
  dialectSettings,
  type DialectSettings,
  findProvider,
  type Provider,
  type RemoteMedia,
  RequestRejected,
  runsAt,
} from '@tollgate/providers';
import { Abandonment } from './abandonment.js';
import type { Granted } from './admission.js';
import { type AttemptFailure, rejectionOf, unusableFailureOf } from './attempt-failure.js';
import { targetOf } from './channel-target.js';
import type { RelayCall } from '../call/relay-call.js';
import type { KeyedChannel } from '../routing/key-choice.js';
import { RemotePictures } from './remote-pictures.js';
import { boundSentAs } from '../usage/request-bound.js';
import type { Try } from './try.js';
import { toClientRequest } from './upstream-request.js';

/** What a channel is asked, to the last byte. */
@Injectable()
export class Preparation {
  private known: { revision: number; settings: DialectSettings } | undefined;

  constructor(
    private readonly abandonment: Abandonment,
    private readonly options: OptionStore,
    private readonly clock: Clock,
    private readonly tokens: AccessTokens,
    private readonly pictures: RemotePictures,
    private readonly host: Host,
  ) {}

  /** A failure when the request cannot be said to this channel. */
  prepare(
    call: RelayCall,
    granted: Granted,
    channel: KeyedChannel,
    earlier: readonly Attempt[],
  ): Promise<Try | AttemptFailure> | Try | AttemptFailure {
    const provider = findProvider(channel.type);
    const adapter = provider?.[call.endpoint];
    if (!provider || !adapter) throw new Error(`channel type ${channel.type} has no ${call.endpoint}`);
    const startedMono = this.clock.monotonic();
    try {
      const target = targetOf(channel, call.model, this.settings());
      checkSendable(target);
      const asked = toClientRequest(call, granted.outputLimit);
      const adapted = adapter.toUpstream(asked, target);
      const raw = this.options.get('global.pass_through_request_enabled')
        ? unchangedBody(call, asked, provider)
        : undefined;
      const current: Try = {
        call,
        granted: grantedFor(granted, raw ? call.model : (adapted.model ?? target.model), provider),
        channel,
        target,
        request: raw ? { ...adapted, body: raw } : adapted,
        provider,
        adapter,
        earlier,
        departure: this.abandonment.departure(target.setting),
        accountWords: () => this.options.get('AutomaticDisableKeywords'),
        elapsed: () => this.clock.monotonic() - startedMono,
      };
      const media = provider.remoteMedia?.(current.request);
      return media || provider.authorize ? this.complete(current, media) : current;
    } catch (error) {
      return failureOf(channel, error, call);
    }
  }

  /** Why a channel cannot be asked this, whatever quota pays for it; undefined where it can. Nothing goes out. */
  rejection(call: RelayCall, channel: KeyedChannel): AttemptFailure | undefined {
    // A form is written while it is read.
    if (call.form) return undefined;
    try {
      findProvider(channel.type)?.[call.endpoint]?.toUpstream(
        toClientRequest(call),
        targetOf(channel, call.model, this.settings()),
      );
    } catch (error) {
      // Another key or channel may do where this one is badly set up.
      if (error instanceof RequestRejected) return rejectionOf(channel, error, call.endpoint);
    }
    return undefined;
  }

  /** With what had to be fetched for it, and what proves who sends it. */
  private async complete(current: Try, media: RemoteMedia | undefined): Promise<Try | AttemptFailure> {
    const { call, provider, target, channel } = current;
    try {
      const whole = media ? await this.pictures.inline(call, media) : current.request;
      const request = provider.authorize ? await authorized(provider, whole, target, this.tokens) : whole;
      return { ...current, request };
    } catch (error) {
      // What cannot be fetched is not fetched once more for each other channel that needs it.
      return { ...failureOf(channel, error, call), isUnsaid: false };
    }
  }

  /** Worked out once for the options in force. */
  private settings(): DialectSettings {
    const { revision } = this.options;
    let { known } = this;
    if (!known || known.revision !== revision)
      this.known = known = { revision, settings: dialectSettings(this.options, this.host.env) };
    return known.settings;
  }
}

/** What the request may use there under the name that is sent. */
function grantedFor(granted: Granted, model: string, { hasOwnContext }: Provider): Granted {
  const bound = boundSentAs(granted.bound, model, runsAt(hasOwnContext, model));
  return bound === granted.bound ? granted : { ...granted, bound };
}

/** What keeps a request from being said to this channel; anything else is thrown on. */
function failureOf(channel: KeyedChannel, error: unknown, { endpoint }: RelayCall): AttemptFailure {
  if (error instanceof RequestRejected) return rejectionOf(channel, error, endpoint);
  if (error instanceof ChannelUnusable) return unusableFailureOf(channel, error);
  // Whoever gives tokens did not answer.
  if (error instanceof AppError && ['upstream', 'invalid'].includes(error.kind))
    return unusableFailureOf(channel, new ChannelUnusable('do_request_failed', '请求上游地址失败', 'network'));
  throw error;
}

/**
 * Address and key are the channel's, the body is the client's to the last byte, but for a limit its quota needs. Messages are never sent so, and
 * nothing is sent so to an upstream of another dialect, which could not read it.
 */
function unchangedBody({ endpoint }: RelayCall, asked: ClientRequest, provider: Provider): Buffer | undefined {
  const isPassed = endpoint === 'chat' || endpoint === 'completions' || endpoint === 'responses';
  return isPassed ? provider[endpoint]?.unchanged?.(asked) : undefined;
}
