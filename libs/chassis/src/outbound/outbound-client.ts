import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { DEMONSTRATION_HOST, DEMONSTRATION_URL } from '@tollgate/contracts';
import { Agent, buildConnector, type Dispatcher, Pool, ProxyAgent, request, Socks5ProxyAgent } from 'undici';
import { AppError } from '../errors/app-error.js';
import { isAllowed, type OutboundAllowance, type OutboundClass } from './address-policy.js';

export interface OutboundRequest {
  kind: OutboundClass;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  timeoutMs?: number;
  /** Limit on the bytes of the reply; a longer reply is an error. */
  maxBytes?: number;
  /** The body of the reply is not read but counts as empty, however long it is; its connection is closed. */
  onlyStatus?: boolean;
  /** `http`, `https`, `socks5` or `socks5h` URL of a proxy; empty for none. */
  proxy?: string;
  /** Aborts the call with the signal's reason. */
  signal?: AbortSignal;
}

export interface OutboundReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 10_000;
/** How long a proxy may take to open a tunnel; a connection without one may take as long. */
const CONNECT_MS = 10_000;
/**
 * Connections to one host at a time. Calls of bounded classes are short. Channels carry as many open streams as there are clients, and a
 * bound would make a stream wait for another one to end.
 */
const CONNECTIONS: Record<OutboundClass, number | null> = { user: 128, admin: 128, channel: null };
const KEPT_PROXIES = 64;
/** HTTP/1.1 also where a server offers HTTP/2, whose client takes a stream that is reset for one that ended. */
const HTTP_1 = { allowH2: false };
const PROXY_SCHEMES = new Set(['http:', 'https:', 'socks5:', 'socks5h:']);

const ALLOWANCE = 'TOLLGATE_OUTBOUND_ALLOW';

/**
 * The error for a refused address. Operators are told which variable would allow it; users cannot set it, so they are not. `context` names
 * that variant of the text in the console's dictionary.
 */
function refused(host: string, kind: OutboundClass): AppError {
  const plain = addressNotAllowed(host);
  if (kind === 'user') return new AppError('invalid', 'address-not-allowed', plain, { params: { host } });
  const text = `${plain}。如确需访问，请在 ${ALLOWANCE} 中加入该主机或网段`;
  return new AppError('invalid', 'address-not-allowed', text, {
    params: { host, variable: ALLOWANCE, context: 'operator' },
  });
}

/** The same refusal as a text for everyone. */
export const addressNotAllowed = (host: string): string => `不允许访问该地址：${host}`;

/**
 * The only client for URLs that people can set. It resolves a name when connecting, checks every address of the name and connects to a
 * checked address, so that a second DNS lookup cannot lead elsewhere. Redirects are not followed.
 */
export class OutboundClient {
  private readonly agents: Record<OutboundClass, Agent>;
  private isCut = false;
  /** Agents by class and proxy; their connections are kept alive as those without a proxy. */
  private readonly proxied = new LRUCache<string, Dispatcher>({
    max: KEPT_PROXIES,
    dispose: (agent) => void agent.close().catch(() => undefined),
  });

  /** `demonstrationPort`: loopback port of this process's demonstration provider, if it runs one. */
  constructor(
    private readonly allowance: OutboundAllowance,
    private readonly demonstrationPort?: number,
    private readonly connectMs = CONNECT_MS,
    private readonly addressesOf: (host: string) => Promise<LookupAddress[]> = (host) => lookup(host, { all: true }),
  ) {
    this.agents = { user: this.agentFor('user'), admin: this.agentFor('admin'), channel: this.agentFor('channel') };
  }

  get hasDemonstration(): boolean {
    return this.demonstrationPort !== undefined;
  }

  /**
   * For callers that stream: a dispatcher that connects to allowed addresses only. With a proxy the check applies to the proxy, which
   * resolves the names of targets itself.
   */
  dispatcher(kind: OutboundClass, proxy = ''): Dispatcher {
    return proxy === '' ? this.agents[kind] : this.behind(kind, proxy);
  }

  /**
   * As `dispatcher`, but for connections that switch to another protocol, each in a tunnel of its own through a proxy. Throws as `check` and
   * `checkProxy` do.
   */
  async upgradeDispatcher(kind: OutboundClass, url: string, proxy = ''): Promise<Dispatcher> {
    const { hostname } = parseUrl(url);
    if (isIP(bare(hostname)) !== 0) await this.resolve(hostname, kind);
    await this.checkProxy(proxy, kind);
    return proxy === '' ? this.agents[kind] : this.behind(kind, proxy, true);
  }

  private behind(kind: OutboundClass, proxy: string, proxyTunnel = false): Dispatcher {
    const key = `${kind} ${proxy} ${proxyTunnel}`;
    const known = this.proxied.get(key);
    if (known) return known;
    const agent = this.proxyAgentFor(kind, parseProxy(proxy), proxyTunnel);
    this.proxied.set(key, agent);
    return agent;
  }

  /** Throws `proxy-invalid`, `proxy-scheme-unsupported` or `address-not-allowed`, without connecting. */
  async checkProxy(proxy: string, kind: OutboundClass): Promise<void> {
    if (proxy !== '') await this.resolve(parseProxy(proxy).hostname, kind);
  }

  /** Throws `address-not-allowed` or `url-invalid` without connecting; used when a URL is saved. */
  async check(url: string, kind: OutboundClass): Promise<void> {
    const { hostname } = parseUrl(url);
    await this.resolve(hostname, kind);
  }

  /** A checked address of a host, for clients of protocols other than HTTP. Throws `address-not-allowed` or `unreachable`. */
  async addressOf(hostname: string, kind: OutboundClass): Promise<string> {
    try {
      const [first] = await this.resolve(hostname, kind);
      if (first) return first.address;
    } catch (error) {
      throw asAppError(error, hostname);
    }
    throw refused(hostname, kind);
  }

  /** Throws an `AppError` of kind `upstream` when the call fails or times out. */
  async send({
    kind,
    method = 'GET',
    url,
    headers,
    body,
    timeoutMs = TIMEOUT_MS,
    proxy = '',
    signal,
    ...bounds
  }: OutboundRequest): Promise<OutboundReply> {
    const { hostname } = parseUrl(url);
    const timeout = AbortSignal.timeout(timeoutMs);
    const limit = signal ? AbortSignal.any([signal, timeout]) : timeout;
    // The connector does not look up a literal address, so it is checked here.
    if (isIP(bare(hostname)) !== 0) await this.resolve(hostname, kind);
    try {
      await this.checkProxy(proxy, kind);
      const dispatcher = this.dispatcher(kind, proxy);
      const reply = await unlessAborted(limit, request(url, { method, headers, body, dispatcher, signal: limit }));
      return { status: reply.statusCode, headers: reply.headers, body: await read(reply.body, bounds) };
    } catch (error) {
      signal?.throwIfAborted();
      // The failure is ours and not the upstream's, so it is not an `AppError` about the upstream.
      if (this.isCut) throw new Error('the process stops', { cause: error });
      throw asAppError(error, hostname);
    }
  }

  /** Aborts all running calls, streams included, and refuses new ones; called when their results are no longer needed. */
  async cut(): Promise<void> {
    this.isCut = true;
    const agents = [...Object.values(this.agents), ...this.proxied.values()];
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  private agentFor(kind: OutboundClass): Agent {
    return new Agent({
      ...HTTP_1,
      connections: CONNECTIONS[kind],
      connect: this.guarded(kind),
      ...(kind === 'channel' && this.hasDemonstration && { factory: this.poolOf }),
    });
  }

  /** Connections to the demonstration provider stay inside the process. */
  private readonly poolOf = (origin: string | URL, options: object): Dispatcher =>
    new Pool(String(origin) === DEMONSTRATION_URL ? `http://127.0.0.1:${this.demonstrationPort}` : origin, options);

  private proxyAgentFor(kind: OutboundClass, { href, protocol }: URL, proxyTunnel: boolean): Dispatcher {
    const guarded = this.guarded(kind);
    if (!protocol.startsWith('socks5'))
      return new ProxyAgent({
        ...HTTP_1,
        proxyTunnel,
        uri: href,
        connections: CONNECTIONS[kind],
        proxyTls: guarded,
        // Used for tunnels only.
        clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: this.connectMs }),
      });
    // `socks5h` means that the proxy resolves names, which this agent leaves to it in any case. It supports HTTP/1.1 only.
    return new Socks5ProxyAgent(href.replace(/^socks5h:/, 'socks5:'), { connect: buildConnector(guarded) });
  }

  private guarded(kind: OutboundClass): buildConnector.BuildOptions {
    return {
      lookup: (hostname, _options, callback) => {
        this.resolve(hostname, kind).then(
          (addresses) => callback(null, addresses),
          (error: unknown) => callback(error as Error, []),
        );
      },
    };
  }

  /** All addresses of a host. Throws if any of them is not allowed. */
  private async resolve(hostname: string, kind: OutboundClass): Promise<LookupAddress[]> {
    const host = bare(hostname);
    const family = isIP(host);
    if (kind === 'channel' && this.hasDemonstration && host === DEMONSTRATION_HOST)
      return [{ address: '127.0.0.1', family: 4 }];
    const addresses = family === 0 ? await this.addressesOf(host) : [{ address: host, family }];
    if (this.allowance.hosts.has(host.toLowerCase())) return addresses;
    if (addresses.length === 0 || addresses.some(({ address }) => !isAllowed(address, kind, this.allowance)))
      throw refused(host, kind);
    return addresses;
  }
}

/** `request` with this signal acts on it only once it is connected; until then the caller would wait for the connection. */
function unlessAborted<T>(signal: AbortSignal, call: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) giveUp();
    void call.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}

async function read(
  body: Readable,
  { maxBytes = MAX_BYTES, onlyStatus }: Pick<OutboundRequest, 'maxBytes' | 'onlyStatus'>,
): Promise<Buffer> {
  if (onlyStatus) {
    // An unread body ends with an error, which would crash the process if nobody listened.
    body.on('error', () => undefined);
    body.destroy();
    return Buffer.alloc(0);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new AppError('upstream', 'reply-too-large', '对方返回的内容过大');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

/** Throws `url-invalid` for anything but an http or https URL. */
export function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new AppError('invalid', 'url-invalid', '地址不合法，需以 http:// 或 https:// 开头');
  return parsed;
}

function parseProxy(proxy: string): URL {
  const parsed = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (!parsed || parsed.hostname === '') throw new AppError('invalid', 'proxy-invalid', '代理地址不合法');
  if (!PROXY_SCHEMES.has(parsed.protocol)) {
    const scheme = parsed.protocol.slice(0, -1);
    throw new AppError('invalid', 'proxy-scheme-unsupported', `unsupported proxy scheme: ${scheme}`, {
      params: { scheme },
    });
  }
  return parsed;
}

function asAppError(error: unknown, host: string): AppError {
  if (error instanceof AppError) return error;
  const cause = (error as { cause?: unknown }).cause;
  if (cause instanceof AppError) return cause;
  return new AppError('upstream', 'unreachable', `无法连接至 ${host}，请检查地址与网络`, {
    cause: error,
    params: { host },
  });
}
