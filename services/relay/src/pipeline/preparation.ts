import { Injectable } from '@nestjs/common';
import type { Attempt } from '@tollgate/contracts';
import { UpstreamTokens, AppError, Clock, Host, OptionStore } from '@tollgate/chassis';
import {
  authorized,
  type ChannelTarget,
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
  type UpstreamRequest,
} from '@tollgate/providers';
import { Abandonment } from '../settlement/abandonment.js';
import type { Granted } from '../admission/admission.js';
import { type AttemptFailure, rejectionOf, unusableFailureOf } from '../retry/attempt-failure.js';
import { targetOf } from '../upstream/channel-target.js';
import { type Endpoint, isPassedOn } from '../call/endpoints.js';
import type { RelayCall } from '../call/relay-call.js';
import type { KeyedChannel } from '../routing/key-choice.js';
import { RemotePictures } from '../upstream/remote-pictures.js';
import { boundSentAs } from '../usage/request-bound.js';
import type { Try } from '../upstream/try.js';
import { toClientRequest } from '../upstream/upstream-request.js';

/** What a channel is asked, to the last byte. */
@Injectable()
export class Preparation {
  private known: { revision: number; settings: DialectSettings } | undefined;

  constructor(
    private readonly abandonment: Abandonment,
    private readonly options: OptionStore,
    private readonly clock: Clock,
    private readonly tokens: UpstreamTokens,
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
      const raw = this.unchanged(call.endpoint, asked, target);
      const request = raw ?? adapter.toUpstream(asked, target);
      const current: Try = {
        call,
        granted: grantedFor(granted, { asked: target.model, named: request.model ?? target.model }, provider),
        channel,
        target,
        request,
        provider,
        adapter,
        earlier,
        departure: this.abandonment.departure(target.setting),
        accountWords: () => this.options.get('AutomaticDisableKeywords'),
        elapsed: () => this.clock.monotonic() - startedMono,
      };
      const media = raw ? undefined : provider.remoteMedia?.(request);
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
      const [asked, target] = [toClientRequest(call), targetOf(channel, call.model, this.settings())];
      if (!this.unchanged(call.endpoint, asked, target))
        findProvider(channel.type)?.[call.endpoint]?.toUpstream(asked, target);
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
      return { ...failureOf(channel, error, call), isUnsupported: false };
    }
  }

  /** With the client's own bytes, where the operator wants that and the upstream can be asked so; see docs/adr/0046. */
  private unchanged(endpoint: Endpoint, asked: ClientRequest, target: ChannelTarget): UpstreamRequest | undefined {
    if (!isPassedOn(endpoint) || !this.options.get('global.pass_through_request_enabled')) return undefined;
    return findProvider(target.channelType)?.[endpoint]?.unchanged?.(asked, target);
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

/** What the request may use there: by the name that chose the address, and by the one that the body has. */
function grantedFor(
  granted: Granted,
  { asked, named }: { asked: string; named: string },
  { hasOwnContext }: Provider,
): Granted {
  const bound = boundSentAs(
    granted.bound,
    named,
    [asked, named].some((model) => runsAt(hasOwnContext, model)),
  );
  return bound === granted.bound ? granted : { ...granted, bound };
}

/** What keeps a request from being said to this channel; anything else is thrown on. */
function failureOf(channel: KeyedChannel, error: unknown, { endpoint }: RelayCall): AttemptFailure {
  if (error instanceof RequestRejected) return rejectionOf(channel, error, endpoint);
  if (error instanceof ChannelUnusable) return unusableFailureOf(channel, error);
  // The server that gives tokens did not answer.
  if (error instanceof AppError && ['upstream', 'invalid'].includes(error.kind))
    return unusableFailureOf(channel, new ChannelUnusable('do_request_failed', '请求上游地址失败', 'network'));
  throw error;
}
