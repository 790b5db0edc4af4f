import type { Json, JsonObject } from '../adapter.js';

/** Which names of a request must be beyond doubt. */
export interface MemberRules {
  /** Top-level members that carry price, limits, words or streaming. */
  guarded: ReadonlySet<string>;
  /** Those of them whose value is scanned too, because price and words depend on what stands inside. */
  spoken: ReadonlySet<string>;
  /** Names inside of these that we act upon. */
  parts: ReadonlySet<string>;
  /** Names inside of these whose value is somebody else's: names there may differ in case. */
  free: ReadonlySet<string>;
  /** What all names have in common that some reader takes for one. The sets hold names in this form, but for `spoken` and `free`. */
  fold(name: string): string;
  /** Whether a name that the rules know stands in its documented letters. */
  isDocumented(name: string, folded: string): boolean;
}

const PLAIN = /^[a-z0-9_]*$/;

/**
 * The name as a reader takes it that ignores case: ASCII letters, and those beyond ASCII whose other case is one (U+017F is an s, U+212A
 * a k, U+0131 an i).
 */
export const fold = (name: string): string => (PLAIN.test(name) ? name : name.toUpperCase().toLowerCase());

const SPOKEN = [
  ...['messages', 'system', 'prompt', 'input', 'suffix', 'instruction', 'instructions', 'query'],
  ...['tools', 'tool_choice', 'functions', 'stream_options', 'thinking', 'reasoning', 'audio', 'prediction'],
  ...['web_search_options', 'output_config', 'response_format', 'text'],
  // Of Cohere, in bodies that are passed on as they are.
  ...['message', 'chat_history', 'preamble'],
];

/** One list for all dialects. Upstreams differ in whether the first or the last of two members counts, and whether case does. */
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
    ...['anthropic_beta', 'connectors', 'conversation_id', 'ref', 'system_memory_id'],
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
 * A channel's parameter override under names that cannot stand beside the client's in another case. `stream` decides how the reply is read, so
 * no channel overrides it.
 */
export function overridesOf(override: JsonObject): [string, Json | undefined][] {
  return Object.entries(override)
    .map(([name, value]): [string, Json | undefined] => [
      requestMembers.guarded.has(fold(name)) ? fold(name) : name,
      value,
    ])
    .filter(([name]) => name !== 'stream');
}

/** The model that an override replaces the mapped one with; empty where it does not. */
export function overriddenModel(override: JsonObject): { model?: string } {
  const { model } = Object.fromEntries(overridesOf(override));
  return typeof model === 'string' && model !== '' ? { model } : {};
}
