import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { RequestContext, type RequiredEntityData } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus, channelTested } from '@tollgate/contracts';
import type { ChannelTestRow } from '@tollgate/contracts/api/channel';
import {
  UpstreamTokens,
  AppError,
  Clock,
  Host,
  collectBySocket,
  OptionStore,
  OutboundClient,
  type OutboundReply,
  storableText,
} from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import {
  authorized,
  blamesAccount,
  type ChannelTarget,
  ChannelUnusable,
  checkSendable,
  classifyError,
  dialectSettings,
  findProvider,
  INVALID_KEY,
  maskSecrets,
  type Provider,
  type Reply,
  RequestRejected,
  secretsOf,
  TOKEN_REFUSED,
  type UpstreamFault,
  type UpstreamRequest,
} from '@tollgate/providers';
import { v7 as uuidv7 } from 'uuid';
import { ChannelChanges } from '../channel/channel-changes.js';
import { type ChannelKey, ChannelKeys } from '../channel/channel-keys.js';
import { FRESH } from '../channel/channel-store.js';
import { ChannelQueries } from '../channel/channel.queries.js';
import { Channel } from '../channel/channel.entity.js';
import { TestResult } from '../channel/test-result.entity.js';
import { channelTarget, proxyOf } from '../channel/channel-target.js';
import { eachOf } from '../upstream/each-of.js';
import { withRawAnswer } from './raw-answer.js';
import { refusalOf, type TestRequest, testModelOf, testRequestFor } from './test-request.js';
import type { TestOutcome } from './test-verdict.js';

const TIMEOUT_MS = 30_000;
const MAX_REPLY_BYTES = 10 * 1024 * 1024;
/** Number of tests of one call that run concurrently. */
const CONCURRENCY = 8;

/** Errors that prove a key invalid before any request is sent with it. */
const CERTAIN: ReadonlySet<string> = new Set([TOKEN_REFUSED, INVALID_KEY]);

/** Number of results kept per channel. */
const KEPT_RESULTS = 100;

interface TestLimits {
  timeoutMs?: number;
  signal?: AbortSignal;
  /** The key to use, of a channel with several; without it, the first one in use. */
  keyId?: string | undefined;
}

type Result = Pick<
  TestOutcome,
  'success' | 'message' | 'isCredentialFault' | 'status' | 'errorCode' | 'errorType' | 'answer'
>;

const failure = (message: string): Result => ({ success: false, message, isCredentialFault: false });

interface Probe extends TestRequest {
  upstream: UpstreamRequest;
  target: ChannelTarget;
  provider: Provider;
  model: string;
  secrets: string[];
}

/** Sends one small real request through a channel, in the way the relay does. */
@Injectable()
export class ChannelTestService {
  constructor(
    private readonly em: EntityManager,
    private readonly queries: ChannelQueries,
    private readonly keys: ChannelKeys,
    private readonly options: OptionStore,
    private readonly outbound: OutboundClient,
    private readonly outbox: Outbox,
    private readonly changes: ChannelChanges,
    private readonly clock: Clock,
    private readonly tokens: UpstreamTokens,
    private readonly host: Host,
  ) {}

  /**
   * Failures of the upstream are returned, not thrown; time and result are stored in either case. Throws the signal's
   * reason when it is aborted.
   */
  async test(id: number, named = '', limits: TestLimits = {}): Promise<TestOutcome> {
    const channel = await this.queries.get(id);
    const startedAt = new Date(this.clock.now());
    const model = testModelOf(channel, named);
    const used = await this.keyFor(channel, { model, startedAt, keyId: limits.keyId });
    const key = used.id === '' ? {} : { keyId: used.id };
    const probe = await this.prepare(channel, model, used);
    if (!('upstream' in probe)) {
      const refused = { ...probe, ...key, model, responseTimeMs: 0, startedAt, wasSent: probe.isCredentialFault };
      await this.keep(channel.id, refused);
      return refused;
    }
    const began = this.clock.monotonic();
    const result = await this.send(channel, probe, limits);
    const responseTimeMs = Math.round(this.clock.monotonic() - began);
    const outcome = { ...result, ...key, model, responseTimeMs, startedAt, wasSent: true };
    await this.keep(channel.id, outcome);
    return outcome;
  }

  /** Returns the rows in the order of the ids, with a failed row for a channel that cannot be tested. */
  async testEach(ids: readonly number[]): Promise<ChannelTestRow[]> {
    const rows = new Map<number, ChannelTestRow>();
    await eachOf([...new Set(ids)], CONCURRENCY, async (id) => {
      const row = await RequestContext.create(this.em, () => this.test(id)).then(
        ({ success, message, responseTimeMs }) => ({ id, success, message, time: responseTimeMs / 1000 }),
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
          return { id, success: false, message: error.message, time: 0 };
        },
      );
      rows.set(id, row);
    });
    return [...new Set(ids)].flatMap((id) => rows.get(id) ?? []);
  }

  /** A key that cannot be decrypted is a failed test, too. */
  private async keyFor(
    channel: Channel,
    { model, startedAt, keyId }: Pick<TestOutcome, 'model' | 'startedAt'> & Pick<TestLimits, 'keyId'>,
  ): Promise<ChannelKey> {
    try {
      return this.keys.pick(channel, keyId);
    } catch (error) {
      if (error instanceof AppError)
        await this.keep(channel.id, {
          ...failure(error.message),
          ...{ model, startedAt, responseTimeMs: 0, wasSent: false },
        });
      throw error;
    }
  }

  /** The request, or the result that explains why none can be sent. */
  private async prepare(channel: Channel, model: string, used: ChannelKey): Promise<Probe | Result> {
    const refusal = refusalOf(channel.type);
    if (refusal !== undefined) return failure(refusal);
    const { key } = used;
    try {
      const target = channelTarget(channel, key, {
        model,
        settings: dialectSettings(this.options, { ...this.host.env, FORCE_STREAM_OPTION: false }),
        nowMs: this.clock.now(),
      });
      checkSendable(target);
      const provider = findProvider(channel.type);
      const request = testRequestFor(provider, target);
      if (typeof request === 'string' || !provider) return failure(String(request));
      const { baseUrl, organization } = channel;
      const unsigned = request.adapter.toUpstream(request.request, target);
      const upstream = await authorized(provider, unsigned, target, this.tokens);
      return {
        ...request,
        upstream,
        target,
        provider,
        model: target.model,
        secrets: secretsOf({ key, baseUrl, organization }),
      };
    } catch (error) {
      if (error instanceof RequestRejected || error instanceof AppError) return failure(error.message);
      if (!(error instanceof ChannelUnusable)) throw error;
      const isCredentialFault = CERTAIN.has(error.code);
      return { ...failure(maskSecrets(error.message, secretsOf({ ...channel, key }))), isCredentialFault };
    }
  }

  private async send(channel: Channel, probe: Probe, { timeoutMs = TIMEOUT_MS, signal }: TestLimits): Promise<Result> {
    const end = this.clock.monotonic() + timeoutMs;
    const send = ({ method, url, headers, body, socket }: UpstreamRequest): Promise<OutboundReply> => {
      const left = Math.max(1, Math.ceil(end - this.clock.monotonic()));
      const call = { url, headers, timeoutMs: left, signal, proxy: proxyOf(channel) };
      if (!socket) return this.outbound.send({ kind: 'channel', ...call, method, body });
      const question = { ...call, message: body ?? Buffer.alloc(0), isLast: socket.isLast, idleMs: left };
      return collectBySocket(this.outbound, question, MAX_REPLY_BYTES);
    };
    try {
      return this.read(channel, probe, await this.answerOf(probe, send, signal));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const isTimeout = (error.details.cause as Error | undefined)?.name === 'TimeoutError';
      return failure(isTimeout ? `请求超时（${timeoutMs / 1000} 秒）` : error.message);
    }
  }

  /** The final reply, also from an upstream that needs several calls. */
  private async answerOf(
    { adapter, request, upstream, target, provider }: Probe,
    send: (request: UpstreamRequest) => Promise<OutboundReply>,
    signal?: AbortSignal,
  ): Promise<OutboundReply> {
    const replies: Buffer[] = [];
    for (let sent = upstream; ;) {
      const reply = await send(sent);
      if (!adapter.followUp || sent.isFinal || reply.status < 200 || reply.status > 299) return reply;
      replies.push(reply.body);
      const next = adapter.followUp(replies, request, target);
      if (!next) return reply;
      if ('answer' in next) return { ...reply, body: next.answer };
      await setTimeout(next.afterMs, undefined, signal ? { signal } : {});
      sent = await authorized(provider, next.request, target, this.tokens);
    }
  }

  /** A reply without usage is a success, since the relay then counts tokens itself. */
  private read(
    { type }: Channel,
    { adapter, model, secrets }: Probe,
    { status, headers, body }: OutboundReply,
  ): Result {
    if (status < 200 || status > 299) {
      const error = findProvider(type)?.readError?.(body.toString('utf8'), headers) ?? body;
      const fault = classifyError({ status, body: error, channelType: type, secrets });
      return this.faulty(fault, { status, body, secrets });
    }
    const reply: Reply = adapter.fromReply(body, {
      requestId: uuidv7(),
      model,
      includeUsage: false,
      setting: {},
      nowSeconds: this.clock.seconds(),
      promptTokens: 0,
      secrets,
    });
    if (reply.fault) return this.faulty(reply.fault, { status, body, secrets });
    const answer = { upstreamModel: model, ...(reply.usage && { usage: reply.usage }) };
    return { success: true, message: '', isCredentialFault: false, status, answer };
  }

  /** Operators see what the upstream answered, but only what the relay reads, too, decides about the key. */
  private faulty(
    fault: UpstreamFault,
    { status, body, secrets }: Pick<OutboundReply, 'status' | 'body'> & Pick<Probe, 'secrets'>,
  ): Result {
    const { code: errorCode, type: errorType, status: stated = status } = fault;
    const words = this.options.get('AutomaticDisableKeywords');
    const isCredentialFault = fault.class === 'credential' || blamesAccount(fault.message, words, () => '');
    const message = fault.isUnstated ? withRawAnswer(fault.message, body, secrets) : fault.message;
    return { success: false, message, isCredentialFault, status: stated, errorCode, errorType };
  }

  private async keep(
    channelId: number,
    { model, success, responseTimeMs, message, answer }: TestOutcome,
  ): Promise<void> {
    await this.em.transactional(async (em) => {
      const tested = { responseTimeMs, testedAt: new Date(this.clock.now()) };
      const count = await em.nativeUpdate(Channel, { id: channelId }, { ...tested, testOk: success });
      if (success) await this.clearDoubt(em, channelId);
      if (count === 0) return;
      await keepResult(em, { channelId, model, success, message: storableText(message), ...tested });
      await this.outbox.add(channelTested, {
        channelId,
        model,
        success,
        responseTimeMs,
        message,
        ...(answer && { answer }),
      });
    }, FRESH);
  }

  /** Clears the reason of a channel that the brake had kept enabled. */
  private async clearDoubt(em: EntityManager, channelId: number): Promise<void> {
    const doubtful = { id: channelId, status: ChannelStatus.enabled, statusReason: { $ne: '' } };
    const count = await em.nativeUpdate(Channel, doubtful, { statusReason: '' });
    if (count > 0) await this.changes.publish(em, { channelIds: [channelId] });
  }
}

/** Keeps only the newest results per channel, so that frequent tests do not fill the disk. */
async function keepResult(em: EntityManager, result: RequiredEntityData<TestResult>): Promise<void> {
  await em.insert(TestResult, result);
  await em.execute(
    `delete from "channel_test" where "channel_id" = ? and "id" <= (
       select "id" from "channel_test" where "channel_id" = ? order by "id" desc offset ? limit 1)`,
    [result.channelId, result.channelId, KEPT_RESULTS],
  );
}
