import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher, request } from 'undici';
import { AppError } from '../errors/app-error.js';
import { isAllowed, type OutboundAllowance, type OutboundClass } from './address-policy.js';

export interface OutboundRequest {
  kind: OutboundClass;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  timeoutMs?: number;
  /** Bytes of the reply that are read; more is an error. */
  maxBytes?: number;
}

export interface OutboundReply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

const MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 10_000;

/** A refusal names the variable that would allow the address. */
const refused = (host: string): AppError =>
  new AppError(
    'invalid',
    'address-not-allowed',
    `不允许访问该地址：${host}。如确需访问，请在 TOLLGATE_OUTBOUND_ALLOW 中加入该主机或网段`,
    {
      params: { host, variable: 'TOLLGATE_OUTBOUND_ALLOW' },
    },
  );

/**
 * The one client for URLs that people can set. A name is resolved when the connection is made, every address it has is checked,
 * and the connection goes to a checked address, so that a second resolution cannot lead elsewhere. Redirects are not followed.
 */
export class OutboundClient {
  private readonly agents: Record<OutboundClass, Agent>;

  constructor(private readonly allowance: OutboundAllowance) {
    this.agents = { user: this.agentFor('user'), admin: this.agentFor('admin'), channel: this.agentFor('channel') };
  }

  /** For callers that stream: a dispatcher that connects to allowed addresses only. */
  dispatcher(kind: OutboundClass): Dispatcher {
    return this.agents[kind];
  }

  /** Throws `address-not-allowed` or `url-invalid` without connecting; for checks when a URL is saved. */
  async check(url: string, kind: OutboundClass): Promise<void> {
    const { hostname } = parseUrl(url);
    await this.resolve(hostname, kind);
  }

  /** Throws `AppError` of kind `upstream` when nothing answers in time. */
  async send({
    kind,
    method = 'GET',
    url,
    headers,
    body,
    timeoutMs = TIMEOUT_MS,
    maxBytes = MAX_BYTES,
  }: OutboundRequest): Promise<OutboundReply> {
    const { hostname } = parseUrl(url);
    // A literal address is not looked up by the connection, so it is checked here.
    if (isIP(bare(hostname)) !== 0) await this.resolve(hostname, kind);
    try {
      const reply = await request(url, {
        method,
        headers,
        body,
        dispatcher: this.agents[kind],
        signal: AbortSignal.timeout(timeoutMs),
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of reply.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxBytes) throw new AppError('upstream', 'reply-too-large', '对方返回的内容过大');
        chunks.push(chunk);
      }
      return { status: reply.statusCode, headers: reply.headers, body: Buffer.concat(chunks) };
    } catch (error) {
      throw asAppError(error, hostname);
    }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.agents).map((agent) => agent.close()));
  }

  private agentFor(kind: OutboundClass): Agent {
    return new Agent({
      connections: 128,
      connect: {
        lookup: (hostname, _options, callback) => {
          this.resolve(hostname, kind).then(
            (addresses) => callback(null, addresses),
            (error: unknown) => callback(error as Error, []),
          );
        },
      },
    });
  }

  /** All addresses of a host, each allowed; one that is not refuses the host. */
  private async resolve(hostname: string, kind: OutboundClass): Promise<{ address: string; family: number }[]> {
    const host = bare(hostname);
    const family = isIP(host);
    const addresses = family === 0 ? await lookup(host, { all: true }) : [{ address: host, family }];
    if (this.allowance.hosts.has(host.toLowerCase())) return addresses;
    if (addresses.length === 0 || addresses.some(({ address }) => !isAllowed(address, kind, this.allowance)))
      throw refused(host);
    return addresses;
  }
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, '');

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new AppError('invalid', 'url-invalid', '地址不合法，需以 http:// 或 https:// 开头');
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
