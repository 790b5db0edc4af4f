import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Outlet } from './answer.js';
import { sendBody, sendStream } from './answer.js';
import { bodyIn, readBytes } from './body.js';
import type { FakeBehaviour } from './behaviour.js';
import { defaultBehaviour, readBehaviour, readDirectives, replyWords } from './behaviour.js';
import type { FakeExchange, FakeDialect, JsonObject } from './dialects.js';
import { dialects } from './all-dialects.js';
import { embeddingsReply, readPrompt } from './dialects.js';
import type { JournalEntry } from './journal.js';
import { Journal, withoutKeys } from './journal.js';
import { isMedia, type MediaEndpoint, sendMedia } from './send-media.js';
import { bodyOf, nativeOf, sendJson } from './natives/index.js';
import type { NativeTurn } from './natives/native.js';
import { isSpark, openSpark, sparkBody, type SparkPlan } from './natives/xunfei.js';
import { RealtimeService } from '../realtime-upstream/index.js';

/** A key that is always rejected. */
export const BAD_KEY = 'bad-key';

export interface FakeUpstreamOptions {
  /** 0 picks a free port. */
  port?: number;
  host?: string;
  behaviour?: Partial<FakeBehaviour>;
  models?: readonly string[];
  /** Maximum number of entries; 0 for load tests. */
  journalSize?: number;
  /** Called after each answer that was sent or cut, whether the journal keeps it or not. */
  onEnd?(entry: JournalEntry): void;
}

export interface FakeUpstream {
  /** Base address for a channel. `${url}/~status=500,code=overloaded` changes the behaviour for this address only. */
  url: string;
  port: number;
  control(behaviour: Partial<FakeBehaviour>): void;
  journal(): JournalEntry[];
  /** Number of requests answered since the start or last reset. */
  served(): number;
  failWith(status: number, code?: string): void;
  /** Restores the initial behaviour and empties the journal. */
  reset(): void;
  close(): Promise<void>;
}

const MODELS = ['gpt-4o-mini', 'gpt-4o', 'text-embedding-3-small', 'claude-3-7-sonnet-20250219', 'deepseek-chat'];
const JOURNAL_SIZE = 10_000;
const STARTED_AT = '2024-01-01T00:00:00Z';

type Endpoint = keyof typeof dialects | MediaEndpoint | 'embeddings' | 'models';

/** Matched against the end of the path, so that any prefix of a provider works. */
const endpoints: readonly [RegExp, Endpoint][] = [
  [/\/(?:chat\/completions|chatcompletion_v2)$/, 'chat'],
  [/\/completions$/, 'completions'],
  [/\/messages$/, 'messages'],
  [/\/responses$/, 'responses'],
  [/\/embeddings$/, 'embeddings'],
  [/\/models$/, 'models'],
  [/\/images\/(?:generations|edits)$/, 'images'],
  [/\/audio\/speech$/, 'speech'],
  [/\/audio\/(?:transcriptions|translations)$/, 'words'],
  [/\/moderations$/, 'moderations'],
];

const errorWords: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** Settings in the address: `/~status=500,code=overloaded`. */
function directivesIn({ pathname }: URL): Partial<FakeBehaviour> {
  const prefix = /^\/~([^/]*)/.exec(pathname);
  return prefix ? readDirectives(decodeURIComponent(prefix[1] ?? '')) : {};
}

function keyOf({ headers }: IncomingMessage): string {
  const named = headers['x-api-key'] ?? headers['api-key'];
  return typeof named === 'string' ? named : (headers.authorization ?? '').replace(/^Bearer /, '');
}

const limitOf = (body: JsonObject): number | undefined => {
  const limit = body.max_completion_tokens ?? body.max_tokens ?? body.max_output_tokens;
  return typeof limit === 'number' && limit > 0 ? limit : undefined;
};

/** Number of answers that are charged; only the first one is sent. */
function choicesOf({ n, best_of: bestOf, prompt }: JsonObject): number {
  const perPrompt = Math.max(1, ...[n, bestOf].filter((value) => typeof value === 'number'));
  const isList = Array.isArray(prompt) && prompt.some((item) => typeof item !== 'number');
  return perPrompt * (isList ? prompt.length : 1);
}

const ID_PREFIXES: Partial<Record<Endpoint, string>> = { messages: 'msg', responses: 'resp' };

function exchangeOf(
  { behaviour, requestId }: Pick<Outlet, 'behaviour' | 'requestId'>,
  endpoint: Endpoint,
  body: JsonObject,
  promptTokens: number,
): FakeExchange {
  const words = replyWords(behaviour, limitOf(body));
  const isSearched = body.web_search_options !== undefined || SEARCH_MODEL.test(String(body.model));
  return {
    id: `${ID_PREFIXES[endpoint] ?? 'chatcmpl'}_${requestId}`,
    model: typeof body.model === 'string' ? body.model : '',
    words,
    isCut: words.length < behaviour.tokens,
    usage: {
      promptTokens,
      completionTokens: endpoint === 'embeddings' ? 0 : words.length * choicesOf(body),
      cachedTokens: Math.min(behaviour.cachedTokens, promptTokens),
    },
    behaviour,
    includeUsage: (body.stream_options as JsonObject | undefined)?.include_usage === true,
    isSearched,
  };
}

/** Models that search the web before each answer. */
const SEARCH_MODEL = /-search-(?:preview|api)/;

const isStreamed = ({ isStream }: JournalEntry, { whole }: FakeBehaviour): boolean => isStream && !whole;

/** A server that stands in for any number of AI providers. */
class Upstream {
  private readonly base: FakeBehaviour;
  private behaviour: FakeBehaviour;
  private nextId = 1;
  readonly journal: Journal;

  constructor(private readonly options: FakeUpstreamOptions) {
    this.base = { ...defaultBehaviour, ...options.behaviour };
    this.behaviour = this.base;
    this.journal = new Journal(options.journalSize ?? JOURNAL_SIZE);
  }

  control(behaviour: Partial<FakeBehaviour>): FakeBehaviour {
    this.behaviour = { ...this.behaviour, ...behaviour };
    return this.behaviour;
  }

  reset(): void {
    this.behaviour = this.base;
    this.journal.clear();
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname.startsWith('/__')) return this.administer(request, response, url.pathname);
    const bytes = await readBytes(request);
    const json = await bodyIn(request, bytes);
    const native = nativeOf(request, { url, bytes, json });
    if (native && 'json' in native) return sendJson(response, native);
    const body = native ? bodyOf(native) : json;
    const prompt = readPrompt(body);
    const behaviour = {
      ...this.behaviour,
      ...directivesIn(url),
      ...prompt.behaviour,
    };
    const requestId = `req_fake_${this.nextId++}`;
    const departure = new AbortController();
    const entry = this.journal.add({ ...this.entryOf(request, body, requestId), body: json });
    const startedAt = performance.now();
    response.on('close', () => {
      entry.durationMs = performance.now() - startedAt;
      entry.isFinished = response.writableFinished;
      // With `cutAfter` we broke the connection ourselves, so the client did not disconnect.
      entry.clientAborted = !response.writableFinished && behaviour.cutAfter < 0;
      if (entry.clientAborted) entry.abortedAfterMs = entry.durationMs;
      this.options.onEnd?.(entry);
      departure.abort();
    });
    const outlet: Outlet = { request, response, requestId, signal: departure.signal, behaviour };
    const known = { body, promptTokens: prompt.promptTokens };
    if (native) return this.answerNative(outlet, entry, { ...known, native });
    await this.answer(outlet, entry, { ...known, path: url.pathname });
  }

  /** Answers with the same faults as the other dialects, in a provider's own format. */
  private async answerNative(
    outlet: Outlet,
    entry: JournalEntry,
    { native, body, promptTokens }: { native: NativeTurn; body: JsonObject; promptTokens: number },
  ): Promise<void> {
    const { behaviour, signal } = outlet;
    const { dialect, refusal } = native;
    if (behaviour.latencyMs > 0) await setTimeout(behaviour.latencyMs, undefined, { signal });
    if (refusal) {
      entry.status = refusal.status;
      return sendBody(outlet, refusal.status, JSON.stringify(dialect.error(refusal)));
    }
    const fault = behaviour.status !== 200 ? behaviour.status : behaviour.errorIn200 ? -1 : 200;
    if (fault !== 200) return this.refuse(outlet, entry, dialect, fault);
    const exchange = exchangeOf(outlet, 'chat', body, promptTokens);
    entry.usage = exchange.usage;
    if (!isStreamed(entry, behaviour)) return this.reply(outlet, entry, dialect.reply(exchange));
    const plan = { dialect, exchange, error: this.errorOf(behaviour, 500) };
    await sendStream(outlet, { ...plan, onWord: () => (entry.wordsSent += 1) });
  }

  /** Plans the answer to a question on a web socket. */
  plan(request: IncomingMessage, json: JsonObject): SparkPlan {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const body = sparkBody(json);
    const prompt = readPrompt(body);
    const behaviour = { ...this.behaviour, ...directivesIn(url), ...prompt.behaviour };
    const requestId = `req_fake_${this.nextId++}`;
    const entry = this.journal.add({ ...this.entryOf(request, body, requestId), body: json });
    const exchange = exchangeOf({ behaviour, requestId }, 'chat', body, prompt.promptTokens);
    entry.usage = exchange.usage;
    const error = this.errorOf(behaviour, behaviour.status === 200 ? 500 : behaviour.status);
    return { exchange, behaviour, error, onWord: () => (entry.wordsSent += 1) };
  }

  private entryOf(request: IncomingMessage, body: JsonObject, requestId: string): JournalEntry {
    return {
      requestId,
      method: request.method ?? '',
      path: request.url ?? '',
      model: typeof body.model === 'string' ? body.model : '',
      isStream: body.stream === true,
      status: 200,
      usage: undefined,
      wordsSent: 0,
      headers: withoutKeys(request.headers),
      body,
      startedAt: new Date().toISOString(),
      durationMs: 0,
      isFinished: false,
      clientAborted: false,
      abortedAfterMs: undefined,
    };
  }

  private async answer(
    outlet: Outlet,
    entry: JournalEntry,
    { body, promptTokens, path }: { body: JsonObject; promptTokens: number; path: string },
  ): Promise<void> {
    const { behaviour, request } = outlet;
    const endpoint = endpoints.find(([pattern]) => pattern.test(path))?.[1];
    const dialect = endpoint === 'messages' || request.headers['anthropic-version'] ? dialects.messages : dialects.chat;
    if (behaviour.latencyMs > 0) await setTimeout(behaviour.latencyMs, undefined, { signal: outlet.signal });
    const refusal = endpoint ? this.refusalOf(outlet, keyOf(request)) : 404;
    if (!endpoint || refusal !== 200) return this.refuse(outlet, entry, dialect, refusal);
    if (endpoint === 'models') return sendBody(outlet, 200, this.modelList(request));
    const exchange = exchangeOf(outlet, endpoint, body, promptTokens);
    entry.usage = exchange.usage;
    if (endpoint === 'embeddings') return sendBody(outlet, 200, embeddingsReply(body, exchange));
    if (isMedia(endpoint)) return sendMedia(outlet, { endpoint, path, body, exchange });
    if (!isStreamed(entry, behaviour)) return this.reply(outlet, entry, dialects[endpoint].reply(exchange));
    const plan = { dialect: dialects[endpoint], exchange, error: this.errorOf(behaviour, 500) };
    await sendStream(outlet, { ...plan, onWord: () => (entry.wordsSent += 1) });
  }

  private async reply(outlet: Outlet, entry: JournalEntry, text: string): Promise<void> {
    const { behaviour, signal } = outlet;
    const thinkingMs =
      behaviour.tokensPerSecond > 0 ? ((entry.usage?.completionTokens ?? 0) * 1000) / behaviour.tokensPerSecond : 0;
    if (thinkingMs > 0) await setTimeout(thinkingMs, undefined, { signal });
    entry.wordsSent = entry.usage?.completionTokens ?? 0;
    sendBody(outlet, 200, text);
  }

  /** The status to answer with: 200 if the request is served, −1 for an error with status 200. */
  private refusalOf({ behaviour }: Outlet, key: string): number {
    if (behaviour.status !== 200) return behaviour.status;
    if (key === '' || key === BAD_KEY) return 401;
    return behaviour.errorIn200 ? -1 : 200;
  }

  private refuse(outlet: Outlet, entry: JournalEntry, dialect: FakeDialect, refusal: number): void {
    const status = refusal === -1 ? 200 : refusal;
    entry.status = status;
    const error = this.errorOf(outlet.behaviour, refusal);
    const retry: Record<string, string> = status === 429 ? { 'retry-after': '1' } : {};
    if (refusal !== -1 || !isStreamed(entry, outlet.behaviour)) {
      return sendBody(
        { ...outlet, behaviour: { ...outlet.behaviour, cutAfter: -1 } },
        status,
        JSON.stringify(dialect.error(error)),
        retry,
      );
    }
    const [event, data] = dialect.errorFrame(error);
    sendBody(outlet, 200, `${event ? `event: ${event}\n` : ''}data: ${data}\n\n`, {
      'content-type': 'text/event-stream',
    });
  }

  /** Error messages contain addresses and keys on purpose, because a relay must hide them from its clients. */
  private errorOf(behaviour: FakeBehaviour, status: number) {
    const isDefault = behaviour.errorCode === defaultBehaviour.errorCode;
    const code = isDefault && status === 401 ? 'invalid_api_key' : behaviour.errorCode;
    const type =
      behaviour.errorType === defaultBehaviour.errorType
        ? (errorWords[status] ?? behaviour.errorType)
        : behaviour.errorType;
    const message =
      behaviour.errorMessage ||
      (status === 401
        ? 'Incorrect API key provided: sk-fake-upstream-0123456789. See https://platform.fake-upstream.com/keys'
        : `The stand-in at https://10.0.0.7:8443/v1 was told to answer ${status === -1 ? 'an error in a 200' : status}`);
    return { message, type, code };
  }

  private modelList({ headers }: IncomingMessage): string {
    const ids = this.options.models ?? MODELS;
    if (headers['anthropic-version']) {
      const data = ids.map((id) => ({ type: 'model', id, display_name: id, created_at: STARTED_AT }));
      return JSON.stringify({ data, has_more: false, first_id: ids[0], last_id: ids.at(-1) });
    }
    const data = ids.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'fake-upstream' }));
    return JSON.stringify({ object: 'list', data });
  }

  private async administer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const send = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (path === '/__journal' && request.method === 'DELETE') this.journal.clear();
    if (path === '/__journal') return send(200, { served: this.journal.served, entries: this.journal.list() });
    if (path !== '/__control') return send(404, { error: 'unknown command; there are /__control and /__journal' });
    const { reset, ...settings } = await bodyIn(request, await readBytes(request));
    if (reset) this.reset();
    send(200, this.control(readBehaviour(settings)));
  }
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

/** Starts the fake AI provider: the HTTP protocols of OpenAI, Anthropic and others, with a setting for every fault. */
export async function startFakeUpstream(options: FakeUpstreamOptions = {}): Promise<FakeUpstream> {
  const upstream = new Upstream(options);
  const host = options.host ?? '127.0.0.1';
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    upstream.handle(request, response).catch((error: unknown) => {
      // A client that disconnected aborts its own exchange; any other error is a bad request to the fake upstream.
      if (response.headersSent || response.destroyed) response.destroy();
      else
        response
          .writeHead(400, { 'content-type': 'application/json' })
          .end(JSON.stringify({ error: { message: String(error) } }));
    });
  });
  const realtime = new RealtimeService();
  realtime.attach(server, ({ url }) => !isSpark(url));
  server.on('upgrade', (request, socket, head) => {
    if (isSpark(request.url)) openSpark({ request, socket, head }, (json) => upstream.plan(request, json));
  });
  const { port } = await listen(server, options.port ?? 0, host);
  return {
    url: `http://${host}:${port}`,
    port,
    control: (behaviour) => void upstream.control(behaviour),
    journal: () => upstream.journal.list(),
    served: () => upstream.journal.served,
    failWith: (status, code = 'server_error') => void upstream.control({ status, errorCode: code }),
    reset: () => upstream.reset(),
    close: () =>
      new Promise((resolve) => {
        realtime.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
