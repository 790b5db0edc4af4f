import { channelTypes, type ChannelTypeRow, speechlessChannelTypes } from '@tollgate/contracts';
import {
  type ChannelTarget,
  type ClientRequest,
  findProvider,
  type JsonObject,
  type Provider,
} from '@tollgate/providers';

type Column<Name> = readonly [capability: Name, heading: string];

/** The columns of the table that are client dialects. */
const dialects = [
  ['chat', 'chat'],
  ['messages', 'messages'],
  ['responses', 'responses'],
  ['gemini', 'Gemini'],
] as const satisfies readonly Column<keyof Provider>[];
/** The columns of the other calls. */
const calls = [
  ['completions', 'completions'],
  ['embeddings', 'embeddings'],
  ['rerank', 'rerank'],
  ['images', 'images'],
  ['imageEdits', 'image edits'],
  ['speech', 'speech'],
  ['transcriptions', 'transcriptions'],
  ['translations', 'translations'],
  ['moderations', 'moderations'],
  ['realtime', 'realtime'],
  ['models', 'model list'],
] as const satisfies readonly Column<keyof Provider>[];

const account = JSON.stringify({
  project_id: 'project',
  client_email: 'a@b.c',
  private_key: '-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n',
});

/** A key in the form that the channel type expects. */
const keyOf = ({ keyHint, keyIsJson }: ChannelTypeRow): string =>
  keyIsJson ? account : keyHint.replace('Region', 'us-east-1');

const target = (type: number, row: ChannelTypeRow): ChannelTarget => ({
  ...{
    channelType: type,
    baseUrl: 'https://upstream.example',
    key: keyOf(row),
    organization: '',
    other: 'us-central1',
  },
  ...{ model: row.keyIsJson ? 'gemini-2.0-flash' : 'model', requestedModel: 'model', setting: {}, paramOverride: {} },
  settings: {
    claude: { defaultMaxTokens: {}, modelHeaders: {}, thinkingAdapterEnabled: false, thinkingBudgetPercentage: 0 },
    gemini: {
      ...{ safetySettings: {}, versionSettings: {}, imageModels: [] },
      ...{ thinkingAdapterEnabled: false, thinkingBudgetPercentage: 0 },
    },
    ...{ forceStreamUsage: true, azureApiVersion: 'v', product: { name: 'Tollgate', url: '' } },
  },
  nowMs: 0,
});

const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } };
const withTools: JsonObject = { model: 'model', messages: [{ role: 'user', content: 'x' }], tools: [tool] };
const withImage: JsonObject = { model: 'model', messages: [{ role: 'user', content: [image] }] };

/**
 * Whether the provider can express a conversation in its dialect. What it cannot express is refused before the upstream
 * is called.
 */
function says(provider: Provider, at: ChannelTarget, json: JsonObject): boolean {
  const request: ClientRequest = { dialect: 'openai', json, bytes: Buffer.from(JSON.stringify(json)), headers: {} };
  try {
    return provider.chat?.toUpstream(request, at) !== undefined;
  } catch {
    return false;
  }
}

/** The dialects in which the upstream runs web searches that a client requests, which are charged per call. */
const searchesOf = (provider: Provider | undefined): string =>
  dialects.flatMap(([name]) => (provider?.[name]?.runsSearches ? [name] : [])).join(', ');

/**
 * Whether a channel may have several keys, one per line. It may not where a key is a JSON document of several lines, or
 * where tasks have to be polled with the key that started them.
 */
const takesSeveralKeys = (type: number, { keyIsJson }: ChannelTypeRow): boolean =>
  keyIsJson !== true && !(speechlessChannelTypes as readonly number[]).includes(type);

const cell = (has: boolean): string => (has ? '●' : '');

function rowOf(type: number, row: ChannelTypeRow): string {
  const provider = findProvider(type);
  const at = target(type, row);
  const said = provider ? [says(provider, at, withTools), says(provider, at, withImage)] : [false, false];
  const has = ([name]: Column<keyof Provider>): string => cell(provider?.[name] !== undefined);
  const note = row.retired ? ' (retired)' : row.capabilities.includes('tasks') ? ' (tasks)' : '';
  const key = row.keyIsJson ? 'JSON of a service account' : /^[\w|.-]+$/.test(row.keyHint) ? `\`${row.keyHint}\`` : '';
  const spoken = [...dialects.map(has), ...said.map(cell), searchesOf(provider)];
  const cells = [...spoken, ...calls.map(has), cell(takesSeveralKeys(type, row))];
  return `| ${type} | ${row.label}${note} | ${key.replaceAll('|', '\\|')} | ${cells.join(' | ')} |\n`;
}

/** The table of dialects and endpoints by channel type, made from the registry of providers. */
export function providerTable(): string {
  const headings = (columns: readonly Column<keyof Provider>[]): string[] => columns.map(([, heading]) => heading);
  const said = [...headings(dialects), 'tools', 'pictures', 'own searches'];
  const heads = ['#', 'type', 'key', ...said, ...headings(calls), 'several keys'];
  const rows = (Object.entries(channelTypes) as [string, ChannelTypeRow][]).map(([type, row]) =>
    rowOf(Number(type), row),
  );
  return `| ${heads.join(' | ')} |\n|${' --- |'.repeat(heads.length)}\n${rows.join('')}`;
}
