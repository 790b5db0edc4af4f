import type { ChannelTarget, ClientRequest, JsonObject } from '../adapter.js';
import type { MemberEdits } from '../json/replace-members.js';
import type { UsageQuirks } from '../usage.js';

/** A member of the body an upstream wants otherwise; runs on the client's value only where it is present. */
export type Tweak = (json: JsonObject, edits: Map<string, JsonObject[string]>) => void;

/** In what one upstream of the OpenAI dialect differs from the next. A new provider is usually one of these. */
export interface Quirks {
  defaultBaseUrl?: string;
  chatPath?: string;
  completionsPath?: string;
  embeddingsPath?: string;
  imagesPath?: string;
  modelsPath?: string;
  /** Replaces the joining of base address and path. */
  url?: (target: ChannelTarget, path: string, request?: ClientRequest) => string;
  /** Replaces the bearer header. */
  authorize?: (target: ChannelTarget) => Record<string, string>;
  headers?: (target: ChannelTarget, isStream?: boolean) => Record<string, string>;
  /**
   * Whether the upstream understands `stream_options`: `ask` for usage always, `pass` on what the client asked, `strip`
   * it because the upstream refuses unknown members or states its usage anyway.
   */
  streamUsage?: 'ask' | 'pass' | 'strip';
  /**
   * It knows the limit of an answer by its older name only (`max_tokens`), or is not known to know the other: under that it would be left out, and
   * the answer had none.
   */
  olderLimit?: true;
  /** The ids of its replies are of no use: clients get the id of our request instead. */
  ownIds?: true;
  tweaks?: readonly Tweak[];
  /** The same for requests for pictures. */
  imageTweaks?: readonly Tweak[];
  usage?: UsageQuirks;
  /** It takes `web_search_options` in a chat; others leave them unread. */
  searches?: true;
}

export type Edits = Map<string, JsonObject[string]>;
export type { MemberEdits };

const trimSlash = (url: string): string => url.replace(/\/+$/, '');

const baseUrlOf = (target: ChannelTarget, quirks: Quirks): string =>
  trimSlash(target.baseUrl || (quirks.defaultBaseUrl ?? ''));

/** Cloudflare's AI gateway stands for the part of the path that OpenAI itself calls `/v1`. */
export function urlOf(target: ChannelTarget, quirks: Quirks, path: string): string {
  const base = baseUrlOf(target, quirks);
  const isGateway = base.startsWith('https://gateway.ai.cloudflare.com');
  return base + (isGateway ? path.replace(/^\/v1(?=\/)/, '') : path);
}

/** What the client added to a path that is also the upstream's, but for a key of ours that stands there. */
function queryFor(path: string, { pathAndQuery = '' }: ClientRequest): string {
  if (!pathAndQuery.startsWith(`${path}?`)) return '';
  const members = pathAndQuery.slice(path.length + 1).split('&');
  const told = members.filter((member) => member !== '' && !member.startsWith('key='));
  return told.length > 0 ? `?${told.join('&')}` : '';
}

/** The URL of a call. */
export const addressOf = (target: ChannelTarget, quirks: Quirks, path: string, request: ClientRequest): string =>
  quirks.url?.(target, path, request) ?? urlOf(target, quirks, path) + queryFor(path, request);

/** Lowers or raises a sampling parameter into the range an upstream accepts. */
export const clamp =
  (name: string, min: number, max: number): Tweak =>
  (json, edits) => {
    const value = json[name];
    if (typeof value === 'number' && (value < min || value > max)) edits.set(name, Math.min(Math.max(value, min), max));
  };

/** Drops all other members, for upstreams that refuse a request with members they do not know. */
export const keepOnly =
  (...names: string[]): Tweak =>
  (json, edits) => {
    const known = new Set(names);
    for (const name of Object.keys(json)) if (!known.has(name)) edits.set(name, undefined);
  };
