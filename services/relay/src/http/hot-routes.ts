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
import { type OwnedRouteRow, routes, unimplementedRelayRoutes } from '@tollgate/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type HotRequest, pathOf, withoutSlash } from './hot-request.js';
import { ModelCalls } from './model-calls.js';
import { RealtimeCalls } from './realtime-calls.js';
import { TaskCalls } from './task-calls.js';
import { TaskQueries } from './task-queries.js';

type Handler = (request: HotRequest) => Promise<void>;

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
      takes: (raw) => asksForWebSocket(raw) && withoutSlash(pathOf(raw.url)) === routes.openRealtime.path,
      open: (upgrade) => this.serveUpgrade(upgrade),
    });
  }

  private serveUpgrade(upgrade: Upgrade): void {
    const { request: raw, response } = upgrade;
    this.requests.serve({ raw, response, row: routes.openRealtime }, ({ id, address }) => {
      const request = { id, raw, response, path: pathOf(raw.url), address, upgrade };
      void this.calls.answer(request, (current) => this.realtime.open(current));
    });
  }

  private addRoutes(scope: FastifyInstance): void {
    const { calls, realtime } = this;
    const add = (row: OwnedRouteRow, handler: Handler): void => {
      scope.route({ method: row.method, url: row.path, config: { row }, handler: this.through(handler) });
      if (row.auth === 'token' && !/[:*]/.test(row.path)) this.flat.set(row.path, { row, handler });
    };
    add(routes.createChatCompletion, (request) => calls.text('chat', request));
    add(routes.createCompletion, (request) => calls.text('completions', request));
    add(routes.createMessage, (request) => calls.text('messages', request));
    add(routes.countMessageTokens, (request) => calls.countTokens('messages', request));
    add(routes.createResponse, (request) => calls.text('responses', request));
    add(routes.createEmbedding, (request) => calls.text('embeddings', request));
    add(routes.createEngineEmbedding, (request) => calls.text('embeddings', request));
    add(routes.createRerank, (request) => calls.text('rerank', request, { isStream: false }));
    add(routes.createImage, (request) => calls.text('images', request));
    add(routes.createImageEdit, (request) => calls.pictures(request));
    add(routes.createSpeech, (request) => calls.text('speech', request));
    add(routes.createModeration, (request) => calls.text('moderations', request));
    add(routes.createTranscription, (request) => calls.sound('transcriptions', request));
    add(routes.createTranslation, (request) => calls.sound('translations', request));
    add(routes.createPlaygroundCompletion, (request) => calls.playground(request));
    add(routes.createPlaygroundImage, (request) => calls.playground(request, 'images'));
    add(routes.createPlaygroundSpeech, (request) => calls.playground(request, 'speech'));
    add(routes.createPlaygroundTranscription, (request) => calls.playgroundSound(request));
    add(routes.openRealtime, (request) => realtime.open(request));
    add(routes.listModels, (request) => calls.listModels(request));
    add(routes.listGeminiModels, (request) => calls.listModels(request));
    add(routes.getGeminiModel, (request) => calls.getModel(request));
    add(routes.listGeminiModelsForOpenAi, (request) => calls.listModels(request));
    add(routes.callGeminiModel, (request) => calls.gemini(request));
    add(routes.callGeminiModelByV1, (request) => calls.gemini(request));
    add(routes.getModel, (request) => calls.getModel(request));
    this.addTaskRoutes(add);
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

  /** Adds the task routes, those of drawings with and without a mode as the first part of the path. */
  private addTaskRoutes(add: (row: OwnedRouteRow, handler: Handler) => void): void {
    const { tasks, taskQueries } = this;
    const inModes = (plain: OwnedRouteRow, inMode: OwnedRouteRow, handler: Handler): void => {
      add(plain, handler);
      add(inMode, handler);
    };
    inModes(routes.submitDrawing, routes.submitDrawingInMode, (request) => tasks.submitDrawing(request));
    inModes(routes.swapFace, routes.swapFaceInMode, (request) => tasks.swapFace(request));
    inModes(routes.fetchDrawing, routes.fetchDrawingInMode, (request) => taskQueries.fetchDrawing(request));
    inModes(routes.fetchDrawings, routes.fetchDrawingsInMode, (request) => taskQueries.fetchDrawings(request));
    inModes(routes.getImageSeed, routes.getImageSeedInMode, (request) => taskQueries.getImageSeed(request));
    inModes(routes.noteDrawing, routes.noteDrawingInMode, (request) => taskQueries.noteDrawing(request));
    inModes(routes.showPicture, routes.showPictureInMode, (request) => taskQueries.showPicture(request));
    add(routes.submitSong, (request) => tasks.submitSong(request));
    add(routes.fetchSong, (request) => taskQueries.fetchSong(request));
    add(routes.fetchSongs, (request) => taskQueries.fetchSongs(request));
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
