import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  type OwnedRouteRow,
  routes,
  type TokenRecord,
  unimplementedRelayRoutes,
  type UserRecord,
} from '@tollgate/contracts';
import { CALLER_HEADER, Clock, SecretBox, verifiedCaller } from '@tollgate/chassis';
import { errorFrame, type JsonObject, type MemberEdits } from '@tollgate/providers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../pipeline/refusal.js';
import type { Endpoint, RelayCall } from '../pipeline/relay-call.js';
import { RelayService } from '../pipeline/relay.service.js';
import { ModelRateLimit } from '../policy/model-rate-limit.js';
import { UserDirectory } from '../read-model/user-directory.js';
import { RouteTable } from '../routing/route-table.js';
import { BodyIntake } from './body-intake.js';
import type { ByteClaim } from './byte-budget.js';
import { dialectOf, sendRefusal } from './dialect.js';
import { Gatekeeper } from './gatekeeper.js';
import { callableModels, modelBody, modelListBody } from './model-list.js';
import { changed, parseBody, type RequestBody } from './request-body.js';
import { modelOf } from './text-request.js';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

const pathOf = (request: FastifyRequest): string => request.url.split('?')[0] ?? '/';

/**
 * The relay's routes, as raw Fastify handlers inside the Nest application: a guard and an interceptor per request would cost
 * more than the whole relay hop. One encapsulated plugin that leaves bodies alone: who calls is known before anything of his is read.
 */
@Injectable()
export class HotRoutes implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly gatekeeper: Gatekeeper,
    private readonly bodies: BodyIntake,
    private readonly relay: RelayService,
    private readonly rateLimit: ModelRateLimit,
    private readonly routeTable: RouteTable,
    private readonly users: UserDirectory,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    const instance = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    await instance.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _body, parsed) => parsed(null));
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, readsBody: true } as typeof route.config;
      });
      scope.setErrorHandler((error, request, reply) => this.refuse(error, request, reply));
      this.addRoutes(scope);
      done();
    });
  }

  private addRoutes(scope: FastifyInstance): void {
    const add = (row: OwnedRouteRow, handler: Handler): void => {
      scope.route({ method: row.method, url: row.path, config: { row }, handler });
    };
    add(routes.createChatCompletion, (request, reply) => this.text('chat', request, reply));
    add(routes.createCompletion, (request, reply) => this.text('completions', request, reply));
    add(routes.createMessage, (request, reply) => this.text('messages', request, reply));
    add(routes.createEmbedding, (request, reply) => this.text('embeddings', request, reply));
    add(routes.createEngineEmbedding, (request, reply) => this.text('embeddings', request, reply));
    add(routes.createPlaygroundCompletion, (request, reply) => this.playground(request, reply));
    add(routes.listModels, (request, reply) => this.listModels(request, reply));
    add(routes.getModel, (request, reply) => this.getModel(request, reply));
    for (const [method, url] of unimplementedRelayRoutes)
      scope.route({ method, url, handler: (request) => this.unimplemented(request) });
    for (const prefix of ['/v1', '/v1beta', '/pg', '/mj', '/suno']) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const) {
        if (!scope.hasRoute({ method, url: `${prefix}/*` }))
          scope.route({ method, url: `${prefix}/*`, handler: (request) => this.unknown(request) });
      }
    }
  }

  private async text(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { token, user, channel } = await this.gatekeeper.admit(request.headers, pathOf(request));
    const succeeded = await this.rateLimit.admit(user.id, token.group || user.group);
    this.gatekeeper.checkAddress(token, request.ip);
    const isServed = await this.bodies.receive(request, reply, { user, token }, async (bytes, claim) => {
      const body = namedByPath(parseBody(bytes, endpoint, claim), request, claim);
      const model = modelOf(body.json, endpoint);
      const group = this.gatekeeper.groupOf(user, token);
      const channelId = channel === undefined ? undefined : channelIdOf(channel);
      const named = channelId === undefined ? {} : { channelId };
      return this.run(this.callOf(request, reply, { endpoint, ...body, model, group, user, token, ...named }), reply);
    });
    if (isServed) succeeded();
  }

  private async playground(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = verifiedCaller(this.secrets, request.headers[CALLER_HEADER]);
    const user = caller && (await this.users.find(caller.userId));
    if (!user) throw new Refusal(401, '无权进行此操作，未登录且未提供 access token', 'not_signed_in');
    await this.bodies.receive(request, reply, { user, token: undefined }, async (bytes, claim) => {
      const asked = parseBody(bytes, 'playground', claim);
      const model = modelOf(asked.json, 'playground');
      const group = this.playgroundGroup(user, asked.json.group);
      const succeeded = await this.rateLimit.admit(user.id, group);
      const body = changed(asked, playgroundEdits(asked.json), claim);
      const call = this.callOf(request, reply, { endpoint: 'chat', ...body, model, group, user, token: undefined });
      if (await this.run(call, reply)) succeeded();
    });
  }

  private playgroundGroup(user: UserRecord, asked: unknown): string {
    if (typeof asked !== 'string' || asked === '') return user.group;
    if (!this.gatekeeper.usableGroups(user).has(asked)) throw new Refusal(403, '无权访问该分组', 'group_not_allowed');
    return asked;
  }

  /** A client that has the head of a stream is told in its dialect's event; whoever has something else sees that it was cut. */
  private endStream({ response, dialect, requestId, isStream }: RelayCall, { error }: Refusal): void {
    if (isStream && !response.writableEnded) response.end(errorFrame(dialect, error, requestId));
    else response.destroy();
  }

  /** Whether the client got an answer: a head that a comment needed is none. */
  private async run(call: RelayCall, reply: FastifyReply): Promise<boolean> {
    try {
      await this.relay.run(call);
      reply.hijack();
      return reply.raw.headersSent && reply.raw.statusCode < 400;
    } catch (error) {
      if (!reply.raw.headersSent) throw error;
      reply.hijack();
      this.endStream(call, this.relay.unexpected(error, call));
      return false;
    }
  }

  private callOf(
    request: FastifyRequest,
    reply: FastifyReply,
    parts: Pick<RelayCall, 'endpoint' | 'json' | 'bytes' | 'model' | 'group' | 'user' | 'token' | 'channelId'>,
  ): RelayCall {
    const { json } = parts;
    const options = json.stream_options;
    const includeUsage =
      typeof options === 'object' && options !== null && !Array.isArray(options) && options.include_usage === true;
    const { 'api-version': apiVersion } = request.query as { 'api-version'?: string };
    return {
      ...parts,
      requestId: request.id,
      dialect: parts.endpoint === 'messages' ? 'anthropic' : 'openai',
      headers: request.headers,
      ...(typeof apiVersion === 'string' && { apiVersion }),
      isStream: json.stream === true,
      includeUsage,
      startedAt: this.clock.now(),
      startedMono: this.clock.monotonic(),
      response: reply.raw,
    };
  }

  private async modelsFor(request: FastifyRequest): Promise<string[]> {
    const { token, user } = await this.gatekeeper.admit(request.headers, pathOf(request));
    this.gatekeeper.checkAddress(token, request.ip);
    return this.callable(token, user);
  }

  private callable(token: TokenRecord, user: UserRecord): string[] {
    return callableModels(token, this.routeTable.modelsOf(this.gatekeeper.groupOf(user, token)));
  }

  private async listModels(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await reply.send(modelListBody(await this.modelsFor(request), dialectOf(pathOf(request), request.headers)));
  }

  private async getModel(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { '*': id = '' } = request.params as { '*'?: string };
    const models = await this.modelsFor(request);
    const extra = { type: 'invalid_request_error', param: 'model' };
    if (!models.includes(id)) throw new Refusal(404, `The model '${id}' does not exist`, 'model_not_found', extra);
    await reply.send(modelBody(id, dialectOf(pathOf(request), request.headers)));
  }

  private async unimplemented(request: FastifyRequest): Promise<void> {
    const { token } = await this.gatekeeper.admit(request.headers, pathOf(request));
    this.gatekeeper.checkAddress(token, request.ip);
    throw new Refusal(501, 'API not implemented', 'api_not_implemented');
  }

  private unknown(request: FastifyRequest): Promise<void> {
    return Promise.reject(
      new Refusal(404, `Invalid URL (${request.method} ${pathOf(request)})`, '', { type: 'invalid_request_error' }),
    );
  }

  private async refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const refusal = this.relay.unexpected(error, { requestId: request.id });
    await sendRefusal(reply, refusal, dialectOf(pathOf(request), request.headers), request.id);
  }
}

function channelIdOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Refusal(400, '无效的渠道 Id', 'invalid_channel_id');
  return Number(text);
}

/** The path may name the model instead of the body; upstreams read it from the body. */
function namedByPath(body: RequestBody, request: FastifyRequest, claim: ByteClaim): RequestBody {
  const { model } = request.params as { model?: string };
  if (model === undefined || (body.json.model !== undefined && body.json.model !== '')) return body;
  return changed(body, new Map([['model', model]]), claim);
}

/** The group is ours, not the upstream's; 0 stands for "no limit" in the playground's form. */
const playgroundEdits = ({ max_tokens }: JsonObject): MemberEdits =>
  new Map([['group', undefined], ...(max_tokens === 0 ? ([['max_tokens', undefined]] as const) : [])]);
