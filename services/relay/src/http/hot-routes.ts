import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  asksForWebSocket,
  Host,
  Logger,
  Metrics,
  putInFront,
  putUpgradeDoor,
  type RawFacts,
  RawRequests,
  type Upgrade,
} from '@tollgate/chassis';
import { type OwnedRouteRow, relayRoutes, unimplementedRelayRoutes } from '@tollgate/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type HotRequest, pathOf, withoutSlash } from './hot-request.js';
import { ModelCalls } from './model-calls.js';
import { RealtimeCalls } from './realtime-calls.js';
import { TaskCalls } from './task-calls.js';
import { TaskQueries } from './task-queries.js';

type Handler = (request: HotRequest) => Promise<void>;

/** What answers each route of the relay. */
type Handlers = Record<keyof typeof relayRoutes, Handler>;
type Drawing =
  'submitDrawing' | 'swapFace' | 'fetchDrawing' | 'fetchDrawings' | 'getImageSeed' | 'noteDrawing' | 'showPicture';
type TaskHandlers = Pick<Handlers, Drawing | `${Drawing}InMode` | 'submitSong' | 'fetchSong' | 'fetchSongs'>;

interface FlatRoute {
  row: OwnedRouteRow;
  handler: Handler;
}

/**
 * The relay's routes. The frequent ones, with a fixed path and a token, are answered ahead of the application, because
 * its router, hooks and reply object would cost more than the whole relay hop. All others run the same handlers through
 * one encapsulated Fastify plugin. Neither path parses a body: the caller is authenticated before any of the body is
 * read.
 */
@Injectable()
export class HotRoutes implements OnModuleInit {
  private readonly requests: RawRequests;
  private readonly flat = new Map<string, FlatRoute>();

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly calls: ModelCalls,
    private readonly realtime: RealtimeCalls,
    private readonly tasks: TaskCalls,
    private readonly taskQueries: TaskQueries,
    host: Host,
    logger: Logger,
    metrics: Metrics,
  ) {
    this.requests = new RawRequests({ host, logger, metrics });
  }

  async onModuleInit(): Promise<void> {
    const instance = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    await instance.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _body, parsed) => parsed(null));
      scope.addHook('onRequest', (request, _reply, done) => {
        // Nothing is parsed here, so no content type is refused here either. The code that reads the body checks the
        // header of the raw request.
        if (request.headers['content-type'] !== undefined) request.headers = { 'content-type': 'application/json' };
        done();
      });
      scope.addHook('onRoute', (route) => {
        route.config = { ...route.config, readsBody: true } as typeof route.config;
      });
      this.addRoutes(scope);
      done();
    });
    this.openDoor(instance.server);
    putInFront(instance.server, {
      takes: ({ method, url }) => this.flat.get(pathOf(url))?.row.method === method,
      serve: (raw, response) => {
        const { row } = this.routeOf(raw);
        this.requests.serve({ raw, response, row }, (facts) => this.answer(raw, response, facts));
      },
      behind: { requests: this.requests, serve: (raw, response, facts) => this.answer(raw, response, facts) },
    });
  }

  private routeOf({ url }: IncomingMessage): FlatRoute {
    const route = this.flat.get(pathOf(url));
    if (!route) throw new Error(`${pathOf(url)} is not answered ahead of the application`);
    return route;
  }

  private answer(raw: IncomingMessage, response: ServerResponse, { id, address }: RawFacts): void {
    const { handler } = this.routeOf(raw);
    void this.calls.answer({ id, raw, response, path: pathOf(raw.url), address }, handler);
  }

  /** Only the realtime path accepts an upgrade; upgrade requests to any other path are answered in HTTP. */
  private openDoor(server: FastifyInstance['server']): void {
    putUpgradeDoor(server, {
      takes: (raw) => asksForWebSocket(raw) && withoutSlash(pathOf(raw.url)) === relayRoutes.openRealtime.path,
      open: (upgrade) => this.serveUpgrade(upgrade),
    });
  }

  private serveUpgrade(upgrade: Upgrade): void {
    const { request: raw, response } = upgrade;
    this.requests.serve({ raw, response, row: relayRoutes.openRealtime }, ({ id, address }) => {
      const request = { id, raw, response, path: pathOf(raw.url), address, upgrade };
      void this.calls.answer(request, (current) => this.realtime.open(current));
    });
  }

  private addRoutes(scope: FastifyInstance): void {
    const { calls } = this;
    const handlers: Handlers = { ...this.modelHandlers(), ...this.taskHandlers() };
    for (const [id, handler] of Object.entries(handlers)) {
      const row = relayRoutes[id as keyof Handlers];
      scope.route({ method: row.method, url: row.path, config: { row }, handler: this.through(handler) });
      if (row.auth === 'token' && !/[:*]/.test(row.path)) this.flat.set(row.path, { row, handler });
    }
    for (const [method, url] of unimplementedRelayRoutes)
      scope.route({ method, url, handler: this.through((request) => calls.unimplemented(request)) });
    const unknown = this.through((request) => calls.unknown(request));
    for (const prefix of ['/v1', '/v1beta', '/pg', '/mj', '/:mode/mj', '/suno']) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const) {
        if (!scope.hasRoute({ method, url: `${prefix}/*` }))
          scope.route({ method, url: `${prefix}/*`, handler: unknown });
      }
    }
  }

  private modelHandlers(): Omit<Handlers, keyof TaskHandlers> {
    const { calls, realtime } = this;
    return {
      createChatCompletion: (request) => calls.text('chat', request),
      createCompletion: (request) => calls.text('completions', request),
      createMessage: (request) => calls.text('messages', request),
      countMessageTokens: (request) => calls.countTokens('messages', request),
      createResponse: (request) => calls.text('responses', request),
      createEmbedding: (request) => calls.text('embeddings', request),
      createEngineEmbedding: (request) => calls.text('embeddings', request),
      createRerank: (request) => calls.text('rerank', request, { isStream: false }),
      createImage: (request) => calls.text('images', request),
      createImageEdit: (request) => calls.pictures(request),
      createSpeech: (request) => calls.text('speech', request),
      createModeration: (request) => calls.text('moderations', request),
      createTranscription: (request) => calls.sound('transcriptions', request),
      createTranslation: (request) => calls.sound('translations', request),
      createPlaygroundCompletion: (request) => calls.playground(request),
      createPlaygroundImage: (request) => calls.playground(request, 'images'),
      createPlaygroundSpeech: (request) => calls.playground(request, 'speech'),
      createPlaygroundTranscription: (request) => calls.playgroundSound(request),
      openRealtime: (request) => realtime.open(request),
      listModels: (request) => calls.listModels(request),
      listGeminiModels: (request) => calls.listModels(request),
      getGeminiModel: (request) => calls.getModel(request),
      listGeminiModelsForOpenAi: (request) => calls.listModels(request),
      callGeminiModel: (request) => calls.gemini(request),
      callGeminiModelByV1: (request) => calls.gemini(request),
      getModel: (request) => calls.getModel(request),
    };
  }

  /** Drawings are called with and without a mode as the first part of the path. */
  private taskHandlers(): TaskHandlers {
    const { tasks, taskQueries } = this;
    const drawings = {
      submitDrawing: (request) => tasks.submitDrawing(request),
      swapFace: (request) => tasks.swapFace(request),
      fetchDrawing: (request) => taskQueries.fetchDrawing(request),
      fetchDrawings: (request) => taskQueries.fetchDrawings(request),
      getImageSeed: (request) => taskQueries.getImageSeed(request),
      noteDrawing: (request) => taskQueries.noteDrawing(request),
      showPicture: (request) => taskQueries.showPicture(request),
    } satisfies Record<Drawing, Handler>;
    return {
      ...drawings,
      submitDrawingInMode: drawings.submitDrawing,
      swapFaceInMode: drawings.swapFace,
      fetchDrawingInMode: drawings.fetchDrawing,
      fetchDrawingsInMode: drawings.fetchDrawings,
      getImageSeedInMode: drawings.getImageSeed,
      noteDrawingInMode: drawings.noteDrawing,
      showPictureInMode: drawings.showPicture,
      submitSong: (request) => tasks.submitSong(request),
      fetchSong: (request) => taskQueries.fetchSong(request),
      fetchSongs: (request) => taskQueries.fetchSongs(request),
    };
  }

  /** Adapts a handler to a request that came through the application's router. */
  private through(handler: Handler): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
    return async (request, reply) => {
      const { model, action, id, '*': rest } = request.params as Record<string, string | undefined>;
      const named = model ?? action ?? id ?? rest;
      reply.hijack();
      await this.calls.answer(
        {
          ...{ id: request.id, raw: request.raw, response: reply.raw },
          ...{ path: pathOf(request.url), address: request.ip },
          ...(named !== undefined && { named }),
        },
        handler,
      );
    };
  }
}
