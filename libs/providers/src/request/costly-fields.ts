import type { Json, JsonObject, SearchDialect } from '../adapter.js';
import { googleToolAt } from './google-tools.js';
import { arrayOf, isObject, objectOf, textOf } from '../json/json.js';
import { wordsOf } from '../json/lazy-json.js';
import { isSearchTool } from './search-tools.js';

/** A member for which an upstream may charge more than our price of the model covers. */
interface CostlyField {
  member: string;
  /** The first value that no price covers, as the refusal prints it; `undefined` if there is none. */
  unpriced(value: Json, endpoint?: SearchDialect): string | undefined;
  /** Why the member is refused, or why values of it are accepted; printed in docs/clients.md. */
  because: string;
  /** The reason stated in the refusal, if it is not the price. */
  statedReason?: string;
}

const onlyWords =
  (...free: string[]) =>
  (value: Json): string | undefined =>
    value === null || free.includes(textOf(value)) ? undefined : shown(value);

const never = (): undefined => undefined;
const always = (value: Json): string | undefined => (value === null || value === false ? undefined : shown(value));

const shown = (value: Json): string => (typeof value === 'string' ? `"${value.slice(0, 64)}"` : 'with this value');

/**
 * Tools that the client runs itself; Anthropic's have a version date. Tools that an upstream runs are charged per call; only searches have
 * a price here, in dialects whose answers state their number.
 */
const CLIENT_TOOL =
  /^(?:function|custom|local_shell|apply_patch|computer_use_preview|(?:bash|text_editor|computer|memory|(?:browser|computer)_toolset)_\d{8}|tool_search_tool_\w+)$/;

function serverTool(tools: Json, endpoint?: SearchDialect): string | undefined {
  const isPriced = (tool: JsonObject): boolean =>
    CLIENT_TOOL.test(textOf(tool.type)) || (endpoint !== undefined && isSearchTool(tool, endpoint));
  if (tools !== null && !Array.isArray(tools)) return 'that is no list';
  for (const item of arrayOf(tools)) {
    const { type = null } = objectOf(item);
    if (type !== null && !isPriced(objectOf(item))) return `of type ${shown(type)}`;
    const own = googleTool(objectOf(item), endpoint);
    if (own !== undefined) return `"${own.slice(0, 64)}"`;
  }
  return undefined;
}

/** Google's tools are identified by a member; these are run by the client. */
const GOOGLE_CLIENT_TOOLS = new Set([
  ...['functionDeclarations', 'function_declarations', 'computerUse', 'computer_use'],
  // Members of other dialects' tools, without a value here.
  ...['type', 'name', 'function'],
]);

/** Tools that Google runs, whatever other members the tool has. */
const GOOGLE_SERVER_TOOL = /^(?:google|url_?context|code_?execution|file_?search|enterprise|retrieval)/i;

function googleTool(tool: JsonObject, endpoint?: SearchDialect): string | undefined {
  const names = Object.keys(tool).filter((name) => endpoint !== 'gemini' || !googleToolAt(name, tool[name]));
  const isGoogles = typeof tool.type !== 'string' && typeof tool.name !== 'string' && !isObject(tool.function);
  return names.find((name) => GOOGLE_SERVER_TOOL.test(name) || (isGoogles && !GOOGLE_CLIENT_TOOLS.has(name)));
}

const compacts = (value: Json): string | undefined =>
  [...arrayOf(objectOf(value).edits), ...arrayOf(value)].some((edit) =>
    textOf(objectOf(edit).type).startsWith('compact'),
  )
    ? 'with compaction'
    : undefined;

/** Choosing the provider behind a model (OpenRouter) changes its price; options that only exclude providers are free. */
const HOST_CHOICE = ['order', 'only', 'sort'];
const picksHost = (value: Json): string | undefined =>
  HOST_CHOICE.find((name) => objectOf(value)[name] !== undefined && objectOf(value)[name] !== null);

const NOT_KEPT = 'what the account of the operator keeps is not for its callers: send all of it';

/** One row per member that can raise what a call costs upstream. See docs/adr/0013. */
export const costlyFields: readonly CostlyField[] = [
  {
    member: 'service_tier',
    unpriced: onlyWords('auto', 'default', 'flex', 'standard_only', 'standard'),
    because: "priority processing costs a multiple; auto is the setting of the operator's account, flex costs less",
  },
  { member: 'speed', unpriced: onlyWords('standard'), because: 'fast output costs six times as much' },
  { member: 'inference_geo', unpriced: onlyWords('global'), because: 'inference in one region has a surcharge' },
  {
    member: 'web_search_options',
    unpriced: (value, endpoint) => (endpoint === 'chat' && isObject(value) ? undefined : always(value)),
    because: 'a search is charged in addition to the tokens; only that of chat has a price, by the call',
  },
  { member: 'enable_search', unpriced: always, because: 'each search is charged in addition to the tokens' },
  { member: 'web_search', unpriced: always, because: 'each search is charged in addition to the tokens' },
  {
    member: 'search_parameters',
    unpriced: always,
    because: 'each source of a search is charged in addition to the tokens',
  },
  { member: 'enable_enhancement', unpriced: always, because: 'it is a search, charged in addition to the tokens' },
  {
    member: 'preset',
    unpriced: always,
    because: "what the operator's account stores may name another model or tools",
  },
  {
    member: 'background',
    unpriced: always,
    statedReason: 'an answer is told to the client that asked for it, and to nobody later',
    because: 'an answer that nobody waits for continues after its client has left, and its usage is never seen',
  },
  {
    member: 'conversation',
    unpriced: always,
    statedReason: NOT_KEPT,
    because: "what the operator's account stores adds to the prompt without bound, and belongs to other users as well",
  },
  {
    member: 'prompt',
    unpriced: (value) => (isObject(value) ? 'with an id' : undefined),
    statedReason: NOT_KEPT,
    because: "what the operator's account stores may name another model or tools",
  },
  {
    member: 'plugins',
    unpriced: always,
    because: 'searches and readers of documents are charged in addition to the tokens',
  },
  { member: 'models', unpriced: always, because: 'another model than the one that is priced may answer' },
  { member: 'provider', unpriced: picksHost, because: 'the hosts of one model differ in price' },
  {
    member: 'tools',
    unpriced: serverTool,
    because: 'a tool that the upstream runs itself is charged by the call and reads without bound',
  },
  ...['cachedContent', 'cached_content'].map((member) => ({
    member,
    unpriced: always,
    because: "what the operator's account stores adds to the prompt without bound",
  })),
  {
    member: 'serviceTier',
    unpriced: onlyWords('standard', 'flex', 'unspecified'),
    because: 'the service_tier of Google',
  },
  { member: 'functions', unpriced: never, because: 'the client runs them' },
  {
    member: 'mcp_servers',
    unpriced: always,
    because: 'a server that the upstream calls itself adds to the prompt without bound',
  },
  { member: 'container', unpriced: always, because: 'running code is charged by time' },
  {
    member: 'context_management',
    unpriced: compacts,
    because: 'compaction is another call of the model; clearing costs nothing',
  },
  {
    member: 'modalities',
    unpriced: never,
    because: 'tokens of sound have ratios of their own, and holds assume the dearest',
  },
  { member: 'audio', unpriced: never, because: 'it only says how the sound is produced' },
  {
    member: 'prediction',
    unpriced: never,
    because: 'what was predicted wrongly is part of the usage, and of the hold',
  },
  { member: 'thinking', unpriced: never, because: 'it is output, within the limit of the answer' },
  { member: 'reasoning_effort', unpriced: never, because: 'it is output, within the limit of the answer' },
];

/** Which values of the member no price covers. */
export const unpricedValues = ({ unpriced }: CostlyField): 'all' | 'some' | 'none' =>
  unpriced === always ? 'all' : unpriced === never ? 'none' : 'some';

/** A member that no price covers, its value as printed, and the reason for the refusal if it is not the price. */
interface UnpricedField {
  member: string;
  value: string;
  why?: string;
}

/**
 * The first member by which this request would cost more upstream than its prices cover; members in `harmless` have another meaning in this
 * request. Searches have a price if `endpoint` is set.
 */
export function unpricedField(
  json: JsonObject,
  { harmless = [], endpoint }: { harmless?: readonly string[]; endpoint?: SearchDialect | undefined } = {},
): UnpricedField | undefined {
  return firstUnpriced(
    costlyFields.filter(({ member }) => !harmless.includes(member)),
    json,
    endpoint,
  );
}

function firstUnpriced(
  fields: readonly CostlyField[],
  json: JsonObject,
  endpoint?: SearchDialect,
): UnpricedField | undefined {
  for (const { member, unpriced, statedReason } of fields) {
    if (!Object.hasOwn(json, member)) continue;
    const value = unpriced(wordsOf(json, member, 0) ?? null, endpoint);
    if (value !== undefined) return { member, value, ...(statedReason !== undefined && { why: statedReason }) };
  }
  return undefined;
}

/** The text of the refusal. */
export const refusalOf = ({ member, value, why }: UnpricedField): string =>
  `field ${member} ${value} is not available here: ${why ?? 'it is charged beside the price of the model'}`;

/**
 * Anthropic's beta features that do not change the price. Others are removed: they may cost more, such as a long context, and without the
 * header the upstream charges its usual price. Headers that the operator sets for a model are not checked.
 */
const FREE_BETAS = [
  ...[
    'prompt-caching',
    'extended-cache-ttl',
    'output-128k',
    'max-tokens-3-5-sonnet',
    'token-efficient-tools',
    'computer-use',
  ],
  ...[
    'pdfs',
    'interleaved-thinking',
    'fine-grained-tool-streaming',
    'context-management',
    'claude-code',
    'token-counting',
  ],
  ...['files-api', 'model-context-window-exceeded', 'tool-search-tool', 'advanced-tool-use', 'tool-examples', 'effort'],
  ...['structured-outputs', 'adaptive-thinking', 'redact-thinking', 'prompt-caching-scope'],
];
const FREE_BETA = new RegExp(`^(?:${FREE_BETAS.join('|')})-\\d{4}-?\\d{2}-?\\d{2}$`);

/** The accepted beta features in the client's order; `undefined` for none. */
export function freeBetas(header: string | undefined): string | undefined {
  const free = (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => FREE_BETA.test(name));
  return free.length > 0 ? free.join(',') : undefined;
}

/** Members that only upstreams of dialects other than chat read; a conversion drops them. */
export const unchangedFields: readonly CostlyField[] = [
  {
    member: 'anthropic_beta',
    unpriced: (value) => {
      const names = Array.isArray(value) ? value : [value];
      const dear = names.find((name) => name !== null && !FREE_BETA.test(textOf(name).trim()));
      return dear === undefined ? undefined : `with ${shown(dear)}`;
    },
    because: 'Bedrock and Vertex take the header of that name from the body',
  },
  { member: 'connectors', unpriced: always, because: 'what Cohere finds adds to the prompt without bound' },
  {
    member: 'ref',
    unpriced: (value) => (objectOf(value).enable === false ? undefined : always(value)),
    because: 'what Zhipu finds adds to the prompt without bound',
  },
  ...['conversation_id', 'system_memory_id', 'thread'].map((member) => ({
    member,
    unpriced: always,
    statedReason: NOT_KEPT,
    because: "what the operator's account stores adds to the prompt without bound, and belongs to other users as well",
  })),
];

/** As `unpricedField`, for a body that is passed on unchanged to an upstream of another dialect. */
export const unpricedUnchanged = (json: JsonObject): UnpricedField | undefined => firstUnpriced(unchangedFields, json);
