import { Injectable } from '@nestjs/common';
import { AppError, callForUser, Host, OptionStore, OutboundClient, type OutboundReply } from '@tollgate/chassis';
import { pictureType, type RemoteMedia, RequestRejected, type UpstreamRequest } from '@tollgate/providers';
import type { RelayCall } from '../call/relay-call.js';
import { ReplyRoom } from './reply-room.js';
import type { ReplyMemory } from './upstream-response.js';

const MB = 1024 * 1024;
const MOST_PICTURES = 16;
const TIMEOUT_MS = 10_000;
const MOST_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const refuse = (message: string): never => {
  throw new RequestRejected('invalid_text_request', message);
};

/**
 * Fetches pictures that a client gives by URL, for upstreams that do not fetch URLs; through the operator's worker, over
 * https only, where one is set. Only public addresses are allowed, and size and number are bounded.
 */
@Injectable()
export class RemotePictures {
  constructor(
    private readonly outbound: OutboundClient,
    private readonly room: ReplyRoom,
    private readonly host: Host,
    private readonly options: OptionStore,
  ) {}

  /**
   * Throws `RequestRejected` for a picture that cannot be fetched, unless it may stay a URL, and a refusal with 503 when
   * too many bytes are in memory.
   */
  async inline(call: RelayCall, media: RemoteMedia): Promise<UpstreamRequest> {
    const claim = this.room.claim(call);
    const departure = new AbortController();
    const leave = (): void => departure.abort();
    call.response.once('close', leave);
    try {
      return media.inlined(await this.fetchAll(media, claim, departure.signal));
    } finally {
      call.response.off('close', leave);
      // The pictures are part of the request's body until it is answered.
      call.response.once('close', () => claim.release());
      if (call.response.destroyed) claim.release();
    }
  }

  /** The pictures as data URIs. A picture counts, in bytes, as often as the request names it. */
  private async fetchAll(
    { urls, isOptional }: RemoteMedia,
    claim: ReplyMemory,
    signal: AbortSignal,
  ): Promise<Map<string, string>> {
    const uses = Map.groupBy(urls, (url) => url);
    if (uses.size > MOST_PICTURES && !isOptional) refuse(`too many images, max allowed is ${MOST_PICTURES}`);
    const found = new Map<string, string>();
    let left = this.host.env.MAX_FILE_DOWNLOAD_MB * MB;
    const until = performance.now() + TIMEOUT_MS;
    for (const [url, { length }] of [...uses].slice(0, MOST_PICTURES)) {
      // What may stay a URL is worth no long wait.
      if (isOptional && (left < length || performance.now() > until)) break;
      const reply = await this.fetch(url, Math.floor(left / length), signal).catch((error: unknown) => {
        if (isOptional && !signal.aborted && error instanceof RequestRejected) return undefined;
        throw error;
      });
      if (!reply) continue;
      const { body } = reply;
      left -= body.length * length;
      claim.take(body.length * length);
      found.set(url, `data:${typeOf(reply)};base64,${body.toString('base64')}`);
    }
    return found;
  }

  private async fetch(url: string, maxBytes: number, signal: AbortSignal): Promise<OutboundReply> {
    let at = url;
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
      const reply = await this.fetchOnce(at, maxBytes, signal);
      if (!REDIRECTS.has(reply.status)) return checked(reply);
      const next = URL.parse(String(reply.headers.location ?? ''), at);
      if (!next || !/^https?:$/.test(next.protocol))
        return refuse('an image could not be fetched: it is moved to nowhere');
      at = next.href;
    }
    return refuse('an image could not be fetched: it is moved too often');
  }

  private async fetchOnce(url: string, maxBytes: number, signal: AbortSignal): Promise<OutboundReply> {
    try {
      const call = {
        method: 'GET',
        url,
        headers: { accept: 'image/*' },
        maxBytes,
        timeoutMs: TIMEOUT_MS,
        signal,
      } as const;
      return await callForUser(this.outbound, this.options, call);
    } catch (error) {
      if (!(error instanceof AppError) && !signal.aborted) throw error;
      // The client must not learn which address was resolved and why it was refused.
      return refuse('an image could not be fetched: its address does not answer, may not be called, or gives too much');
    }
  }
}

function checked(reply: OutboundReply): OutboundReply {
  if (reply.status !== 200) return refuse(`an image could not be fetched: status ${reply.status}`);
  if (!typeOf(reply).startsWith('image/')) return refuse('an image address gives no image');
  return reply;
}

const typeOf = ({ body, headers }: OutboundReply): string =>
  pictureType(body, (String(headers['content-type'] ?? '').split(';')[0] ?? '').trim().toLowerCase());
