import type { ChannelTarget, ClientRequest, JsonObject } from '../adapter.js';
import type { MemberEdits } from '../json/replace-members.js';
import type { UsageQuirks } from '../usage.js';

/** Adds edits for a member that an upstream expects in another form; looks at the client's value. */
export type Tweak = (json: JsonObject, edits: Map<string, JsonObject[string]>) => void;

/** How an OpenAI-compatible upstream differs from OpenAI. A new provider is usually just an object of this type. */
export interface Quirks {
  defaultBaseUrl?: string;
  chatPath?: string;
  completionsPath?: string;
  embeddingsPath?: string;
  modelsPath?: string;
  /** Replaces the default concatenation of base address and path. */
  url?: (target: ChannelTarget, path: string, request?: ClientRequest) => string;
  /** Headers in place of the bearer token. */
  authorize?: (target: ChannelTarget) => Record<string, string>;
  headers?: (target: ChannelTarget, isStream?: boolean) => Record<string, string>;
  /**
   * Handling of `stream_options`: `ask` always requests usage, `pass` forwards the client's wish, `strip` removes the member because the
   * upstream refuses it or states usage anyway.
   */
  streamUsage?: 'ask' | 'pass' | 'strip';
  /**
   * The upstream knows the output limit only as `max_tokens`, or is not known to support `max_completion_tokens`. Under an unknown name the
   * limit would be ignored, and the answer would be unlimited.
   */
  olderLimit?: true;
  /** The upstream knows Anthropic's cache markers on system and tools, too. */
  cacheMarks?: true;
  /** The upstream's reply ids are unusable; clients get an id derived from our request id. */
  ownIds?: true;
  tweaks?: readonly Tweak[];
  /** Tweaks for requests for pictures. */
  imageTweaks?: readonly Tweak[];
  usage?: UsageQuirks;
  /** The upstream accepts the URL of a document in place of its data. */
  fetchesFiles?: true;
  /** The upstream refuses JSON by a schema. */
  lacksSchema?: true;
  /** The upstream supports `web_search_options` in a chat; others ignore it. */
  searches?: true;
}

export type Edits = Map<string, JsonObject[string]>;
export type { MemberEdits };

const trimSlash = (url: string): string => url.replace(/\/+$/, '');

const baseUrlOf = (target: ChannelTarget, quirks: Quirks): string =>
  trimSlash(target.baseUrl || (quirks.defaultBaseUrl ?? ''));

/** Cloudflare's AI gateway URL already stands for the `/v1` of OpenAI's paths. */
export function urlOf(target: ChannelTarget, quirks: Quirks, path: string): string {
  const base = baseUrlOf(target, quirks);
  const isGateway = base.startsWith('https://gateway.ai.cloudflare.com');
  return base + (isGateway ? path.replace(/^\/v1(?=\/)/, '') : path);
}

/** The client's query, if its path is the upstream's path too; without `key`, which may hold our own token. */
function queryFor(path: string, { pathAndQuery = '' }: ClientRequest): string {
  if (!pathAndQuery.startsWith(`${path}?`)) return '';
  const members = pathAndQuery.slice(path.length + 1).split('&');
  const kept = members.filter((member) => member !== '' && !member.startsWith('key='));
  return kept.length > 0 ? `?${kept.join('&')}` : '';
}

/** The URL of a call with the client's query. */
export const addressOf = (target: ChannelTarget, quirks: Quirks, path: string, request: ClientRequest): string =>
  quirks.url?.(target, path, request) ?? urlOf(target, quirks, path) + queryFor(path, request);

/** Limits a sampling parameter to the range that an upstream accepts. */
export const clamp =
  (name: string, min: number, max: number): Tweak =>
  (json, edits) => {
    const value = json[name];
    if (typeof value === 'number' && (value < min || value > max)) edits.set(name, Math.min(Math.max(value, min), max));
  };

/** Removes all other members, for upstreams that refuse unknown ones. */
export const keepOnly =
  (...names: string[]): Tweak =>
  (json, edits) => {
    const known = new Set(names);
    for (const name of [...Object.keys(json), ...edits.keys()]) if (!known.has(name)) edits.set(name, undefined);
  };
