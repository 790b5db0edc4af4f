import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Host, OutboundClient } from '@tollgate/chassis';
import type { UpstreamRequest } from '@tollgate/providers';
import type { Dispatcher } from 'undici';
import { UpstreamFailure, UpstreamResponse } from './upstream-response.js';
import { directly, limitTotal, type Way } from './way.js';

/** The upload as a stream, which is read only as fast as the upstream accepts it. */
const uploadOf = ({ upload }: UpstreamRequest): Readable | null =>
  upload ? Readable.from(upload, { objectMode: false }) : null;

/** The upstream may have worked on a request that was sent, so it is not repeated. */
const TIMEOUT_CODES = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

function toFailure(error: unknown, wasSent: boolean): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const { code } = error as { code?: string };
  if (code === 'address-not-allowed') return new UpstreamFailure('refused', { cause: error });
  // Before the request is sent, the time that is over is the one for the answer of a proxy.
  return new UpstreamFailure(wasSent && TIMEOUT_CODES.has(code ?? '') ? 'timeout' : 'network', { cause: error });
}

/**
 * Milliseconds that a request waits for a connection. Besides the dispatcher's own limit for making one, because
 * requests to a host whose protocol is not known yet wait for one another's connections.
 */
const CONNECT_MS = 10_000;

export interface SendHooks {
  /** Receives a function that aborts the call at any time. */
  abortable(abort: () => void): void;
  /** Called when the request is written to a connection; from then on the upstream may be working on it. */
  sent(): void;
}

/**
 * Calls upstreams through pools of keep-alive connections. Uses the dispatcher level of undici, where a chunk costs
 * next to nothing.
 */
@Injectable()
export class UpstreamClient {
  private readonly checked = new Set<string>();
  /** Parsed URLs; channels have few, and they repeat with each request. */
  private readonly addresses = new LRUCache<string, Address>({ max: 1000 });
  private readonly headersTimeout: number;
  private readonly bodyTimeout: number;

  constructor(
    private readonly outbound: OutboundClient,
    host: Host,
  ) {
    this.headersTimeout = host.env.TOLLGATE_UPSTREAM_TIMEOUT_SECONDS * 1000;
    this.bodyTimeout = host.env.TOLLGATE_STREAM_IDLE_SECONDS * 1000;
  }

  /** Resolves when the head of the reply has arrived. */
  send(request: UpstreamRequest, hooks: SendHooks, way: Way = directly): Promise<UpstreamResponse> {
    const address = this.addressOf(request.url);
    const { proxy } = way;
    const isChecked = this.checked.has(address.origin) && (proxy === '' || this.checked.has(proxy));
    return isChecked ? this.dispatch(request, address, hooks, way) : this.sendChecked(request, address, hooks, way);
  }

  private async sendChecked(
    request: UpstreamRequest,
    address: Address,
    hooks: SendHooks,
    way: Way,
  ): Promise<UpstreamResponse> {
    const { origin, hostname } = address;
    if (!this.checked.has(origin)) await this.checkLiteral(origin, hostname);
    if (way.proxy !== '') await this.checkProxy(way.proxy);
    return this.dispatch(request, address, hooks, way);
  }

  private dispatch(
    request: UpstreamRequest,
    { origin, path }: Address,
    hooks: SendHooks,
    way: Way,
  ): Promise<UpstreamResponse> {
    const dispatcher = this.outbound.dispatcher('channel', way.proxy);
    const idleMs = request.thinksLong ? 2 * this.bodyTimeout : this.bodyTimeout;
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      let response: UpstreamResponse | undefined;
      let ended: UpstreamFailure | undefined;
      let connecting: NodeJS.Timeout | undefined = undefined;
      let isOver = false;
      const cancelLimits = (): void => {
        isOver = true;
        clearTimeout(connecting);
        cancelTotal();
      };
      const end = (reason: UpstreamFailure['reason']): void => {
        ended = new UpstreamFailure(reason);
        if (controller) return controller.abort(ended);
        // The dispatcher can abort only what it has started.
        cancelLimits();
        reject(ended);
      };
      const cancelTotal = limitTotal(way, () => end(controller ? 'timeout' : 'network'));
      hooks.abortable(() => {
        if (response) response.abort();
        else end('aborted');
      });
      dispatcher.dispatch(
        {
          origin,
          path,
          method: request.method,
          headers: request.headers,
          body: request.body ?? uploadOf(request),
          headersTimeout: Math.min(this.headersTimeout, way.firstByteMs),
          bodyTimeout: Math.min(idleMs, way.idleMs),
        },
        {
          onRequestStart: (started) => {
            controller = started;
            clearTimeout(connecting);
            if (ended) started.abort(ended);
            else hooks.sent();
          },
          onResponseStart: (started, status, headers) => {
            if (status >= 200) resolve((response = new UpstreamResponse(status, headers, started)));
          },
          onResponseData: (_, chunk) => response?.onData(chunk),
          onResponseEnd: () => {
            cancelLimits();
            response?.onEnd();
          },
          onResponseError: (_, error) => {
            cancelLimits();
            const failure = toFailure(error, controller !== undefined);
            if (response) response.onError(failure);
            else reject(failure);
          },
        },
      );
      // Nearly every request is on a kept connection by now and needs no timer.
      if (controller || isOver) return;
      connecting = setTimeout(() => end('network'), Math.min(CONNECT_MS, this.headersTimeout, way.firstByteMs));
    });
  }

  private addressOf(url: string): Address {
    let address = this.addresses.get(url);
    if (!address) {
      address = parse(url);
      this.addresses.set(url, address);
    }
    return address;
  }

  /**
   * Checks a literal IP address. Host names are checked when a connection is opened, but a literal address is never
   * resolved.
   */
  private async checkLiteral(origin: string, hostname: string): Promise<void> {
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) {
      await this.outbound.check(origin, 'channel').catch((cause: unknown) => {
        throw new UpstreamFailure('refused', { cause });
      });
    }
    this.checked.add(origin);
  }

  private async checkProxy(proxy: string): Promise<void> {
    if (this.checked.has(proxy)) return;
    await this.outbound.checkProxy(proxy, 'channel').catch((cause: unknown) => {
      throw new UpstreamFailure('refused', { cause });
    });
    this.checked.add(proxy);
  }
}

interface Address {
  origin: string;
  hostname: string;
  /** Path and query. */
  path: string;
}

function parse(url: string): Address {
  const parsed = URL.parse(url);
  // The URL is not shown, because failures are logged and its query may contain a token.
  if (!parsed) throw new UpstreamFailure('refused', { cause: new Error('the address of the channel is no URL') });
  const { origin, hostname, pathname, search } = parsed;
  return { origin, hostname, path: pathname + search };
}
