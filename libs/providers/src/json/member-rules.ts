import type { ChannelTarget, ClientRequest, Json, JsonObject } from '../adapter.js';

/** Defines which member names of a request must be unambiguous. */
export interface MemberRules {
  /** Top-level members that affect price, limits, prompt text or streaming. */
  guarded: ReadonlySet<string>;
  /** Guarded members whose value is checked too, because price and prompt depend on its contents. */
  spoken: ReadonlySet<string>;
  /** Names inside these values that this gateway reads. */
  parts: ReadonlySet<string>;
  /** Names inside these values whose own value is defined by the client, such as a schema; names in it may differ in case. */
  free: ReadonlySet<string>;
  /** Maps names that some reader treats as equal to one form. The sets hold names in this form, except `spoken` and `free`. */
  fold(name: string): string;
  /** Whether a known name is in its documented spelling. */
  isDocumented(name: string, folded: string): boolean;
}

const PLAIN = /^[a-z0-9_]*$/;

/**
 * The name as a case-insensitive reader sees it, including letters beyond ASCII that convert to ASCII ones (U+017F to s, U+212A to k,
 * U+0131 to i).
 */
export const fold = (name: string): string => (PLAIN.test(name) ? name : name.toUpperCase().toLowerCase());

const SPOKEN = [
  ...['messages', 'system', 'prompt', 'input', 'suffix', 'instruction', 'instructions', 'query'],
  ...['tools', 'tool_choice', 'functions', 'stream_options', 'thinking', 'reasoning', 'audio', 'prediction'],
  ...['web_search_options', 'output_config', 'response_format', 'text'],
  // Members of Cohere, for bodies that are passed on unchanged.
  ...['message', 'chat_history', 'preamble'],
];

/** One list for all dialects. Upstreams differ in whether the first or the last of repeated members counts, and whether case matters. */
export const requestMembers: MemberRules = {
  guarded: new Set([
    ...SPOKEN,
    ...['model', 'models', 'group', 'stream', 'max_tokens', 'max_completion_tokens', 'max_output_tokens'],
    ...['max_tokens_to_sample', 'n', 'best_of', 'echo', 'reasoning_effort', 'thinking_budget', 'enable_thinking'],
    ...['service_tier', 'speed', 'inference_geo', 'modalities', 'container', 'mcp_servers', 'context_management'],
    ...['web_search', 'search_parameters', 'enable_enhancement', 'preset', 'background'],
    ...['previous_response_id', 'conversation', 'store', 'max_tool_calls'],
    ...['enable_search', 'search_options', 'plugins', 'provider', 'function_call', 'documents'],
    ...['size', 'quality', 'partial_images', 'stream_format'],
    ...['anthropic_beta', 'connectors', 'conversation_id', 'ref', 'system_memory_id', 'thread'],
  ]),
  spoken: new Set(SPOKEN),
  parts: new Set([
    ...[
      'role',
      'content',
      'type',
      'text',
      'name',
      'thinking',
      'reasoning_content',
      'source',
      'media_type',
      'data',
      'url',
    ],
    ...['detail', 'image_url', 'input_audio', 'video_url', 'file', 'file_data', 'file_id', 'format', 'function'],
    ...['tool_calls', 'include_usage', 'budget_tokens', 'effort', 'search_context_size', 'max_uses', 'cache_control'],
    ...['ttl', 'voice', 'output', 'file_url'],
  ]),
  free: new Set([
    'input',
    'arguments',
    'parameters',
    'input_schema',
    'schema',
    'json_schema',
    'metadata',
    'properties',
  ]),
  fold,
  isDocumented: (name, folded) => name === folded,
};

/**
 * A channel's parameter override, with names normalised so that they replace the client's in any case. `stream` is dropped, because the
 * relay decides by it how the reply is read.
 */
export function overridesOf(override: JsonObject): readonly Override[] {
  let found = known.get(override);
  if (!found) known.set(override, (found = normalised(override)));
  return found;
}

const NO_OVERRIDE: JsonObject = {};

/** The channel's parameter override, which applies to clients of OpenAI's dialects only: chat, completions and responses. */
export const overrideFor = (
  { dialect }: Pick<ClientRequest, 'dialect'>,
  { paramOverride }: Pick<ChannelTarget, 'paramOverride'>,
): JsonObject => (dialect === 'openai' || dialect === 'responses' ? paramOverride : NO_OVERRIDE);

type Override = readonly [name: string, value: Json | undefined];

/** Cached by object, since every request needs the overrides of its channels, which change rarely. */
const known = new WeakMap<JsonObject, readonly Override[]>();

const normalised = (override: JsonObject): readonly Override[] =>
  Object.entries(override)
    .map(([name, value]): Override => [requestMembers.guarded.has(fold(name)) ? fold(name) : name, value])
    .filter(([name]) => name !== 'stream');

/** The model that an override sets in place of the mapped one; empty if it sets none. */
export function overriddenModel(override: JsonObject): { model?: string } {
  const model = overridesOf(override).findLast(([name]) => name === 'model')?.[1];
  return typeof model === 'string' && model !== '' ? { model } : {};
}
