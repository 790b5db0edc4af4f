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

/** Builds the exact request that is sent to a channel. */
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

  /** Returns the request to send, or a failure when this channel cannot be sent the request. */
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
      const target = this.targetOf(channel, call.model);
      checkSendable(target);
      const clientRequest = toClientRequest(call, granted.outputLimit);
      const raw = this.unchanged(call.endpoint, clientRequest, target);
      const request = raw ?? adapter.toUpstream(clientRequest, target);
      const current: Try = {
        call,
        granted: grantedFor(granted, { requested: target.model, named: request.model ?? target.model }, provider),
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
      const media = raw ? undefined : provider.remoteMedia?.(request, clientRequest.dialect);
      return media || provider.authorize ? this.complete(current, media) : current;
    } catch (error) {
      return failureOf(channel, error, call);
    }
  }

  /** Why the channel cannot be sent this request, regardless of quota; `undefined` where it can. Nothing is sent. */
  rejection(call: RelayCall, channel: KeyedChannel): AttemptFailure | undefined {
    // A form is converted while it is read, so there is nothing to check yet.
    if (call.form) return undefined;
    try {
      const [clientRequest, target] = [toClientRequest(call), this.targetOf(channel, call.model)];
      if (!this.unchanged(call.endpoint, clientRequest, target))
        findProvider(channel.type)?.[call.endpoint]?.toUpstream(clientRequest, target);
    } catch (error) {
      // A misconfigured channel is no reason to reject the request: another key or channel may serve it.
      if (error instanceof RequestRejected) return rejectionOf(channel, error, call.endpoint);
    }
    return undefined;
  }

  private targetOf(channel: KeyedChannel, model: string): ChannelTarget {
    return targetOf(channel, model, { settings: this.settings(), nowMs: this.clock.now() });
  }

  /** Fetches the remote media of the request, then authorizes it. */
  private async complete(current: Try, media: RemoteMedia | undefined): Promise<Try | AttemptFailure> {
    const { call, provider, target, channel } = current;
    try {
      const whole = media ? await this.pictures.inline(call, media) : current.request;
      const request = provider.authorize ? await authorized(provider, whole, target, this.tokens) : whole;
      return { ...current, request };
    } catch (error) {
      // Not `isUnsupported`, so that media that could not be fetched is not fetched again for every other channel.
      return { ...failureOf(channel, error, call), isUnsupported: false };
    }
  }

  /**
   * The request with the client's own bytes, where the operator enabled that and the upstream's adapter allows it; see
   * docs/adr/0046.
   */
  private unchanged(
    endpoint: Endpoint,
    clientRequest: ClientRequest,
    target: ChannelTarget,
  ): UpstreamRequest | undefined {
    if (!isPassedOn(endpoint) || !this.options.get('global.pass_through_request_enabled')) return undefined;
    return findProvider(target.channelType)?.[endpoint]?.unchanged?.(clientRequest, target);
  }

  /** Computed once per revision of the options. */
  private settings(): DialectSettings {
    const { revision } = this.options;
    let { known } = this;
    if (!known || known.revision !== revision)
      this.known = known = { revision, settings: dialectSettings(this.options, this.host.env) };
    return known.settings;
  }
}

/** Adjusts the bound to the upstream model: the one that chose the address, and the one that the body names. */
function grantedFor(
  granted: Granted,
  { requested, named }: { requested: string; named: string },
  { hasOwnContext }: Provider,
): Granted {
  const bound = boundSentAs(
    granted.bound,
    named,
    [requested, named].some((model) => runsAt(hasOwnContext, model)),
  );
  return bound === granted.bound ? granted : { ...granted, bound };
}

/** The failure that keeps the request from being sent to this channel; any other error is rethrown. */
function failureOf(channel: KeyedChannel, error: unknown, { endpoint }: RelayCall): AttemptFailure {
  if (error instanceof RequestRejected) return rejectionOf(channel, error, endpoint);
  if (error instanceof ChannelUnusable) return unusableFailureOf(channel, error);
  // The server that issues the upstream's access tokens did not answer.
  if (error instanceof AppError && ['upstream', 'invalid'].includes(error.kind))
    return unusableFailureOf(channel, new ChannelUnusable('do_request_failed', '请求上游地址失败', 'network'));
  throw error;
}
