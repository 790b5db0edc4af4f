import { readFileSync } from 'node:fs';
import { allEvents, asyncApiDocument, eventJsonSchema, optionKeys, optionRows } from '@tollgate/contracts';
import { channelTypes } from '@tollgate/contracts';
import { envTable } from '@tollgate/chassis';
import { type Capabilities, costlyFields, findProvider, unchangedFields, unpricedValues } from '@tollgate/providers';
import { adrIndex } from './adr-index.js';
import { chartReadme } from './kube/chart-readme.js';
import { optionMeanings } from './option-texts.js';
import { migrationSums, SUMS_FILE } from './migration-sums.js';
import { scalePage } from './scale/scale-page.js';
import { providerTable } from './provider-table.js';

/** Longer defaults, such as tables of prices, are unreadable in a cell and left out. */
const LONGEST_DEFAULT = 40;

const header = (title: string, about: string): string =>
  `# ${title}\n\n${about} Written by \`npm run docs\`; do not edit.\n\n`;
const code = (text: string): string => (text === '' ? '' : `\`${text.replaceAll('|', '\\|')}\``);

function environment(): string {
  const intro =
    '# Every environment variable with its default. Copy this file to .env and remove the # of the variables you change; a\n' +
    '# variable set in the environment takes precedence over the file. Written by `npm run docs`; do not edit.\n';
  const lines = envTable.map(({ name, meaning, default: fallback }) => `\n# ${meaning}\n#${name}=${fallback}\n`);
  return intro + lines.join('');
}

function variables(): string {
  const rows = envTable.map(
    ({ name, meaning, default: fallback }) =>
      `| \`${name}\` | ${code(fallback)} | ${meaning.replaceAll('|', '\\|')} |\n`,
  );
  const about =
    'Every environment variable. With an invalid value the process does not start and names the variable; an empty value counts as absent.';
  return header('Environment', about) + '| variable | default | meaning |\n| --- | --- | --- |\n' + rows.join('');
}

function options(): string {
  const meanings = optionMeanings(optionKeys);
  const rows = optionKeys.map((key, index) => {
    const { default: fallback, card, minRole, secret } = optionRows[key];
    const shown = fallback.length > LONGEST_DEFAULT ? `${fallback.length} characters` : code(fallback);
    const meaning = (meanings[index] ?? '').replaceAll('|', '\\|');
    return `| \`${key}\` | ${meaning} | ${card} | ${shown} | ${minRole} | ${secret ? 'yes' : ''} |\n`;
  });
  const head =
    '| option | meaning | card | default | minimum role | write-only |\n| --- | --- | --- | --- | --- | --- |\n';
  return (
    header(
      'Options',
      'Every system option, with its texts in the console; the database stores only values that differ from the default.',
    ) +
    head +
    rows.join('')
  );
}

function events(): string {
  const rows = allEvents.map(({ name, summary, version, partitions, data }) => {
    const fields = Object.keys('shape' in data ? (data.shape as object) : {}).map(code);
    const link = `[\`${name}\`](schemas/${name}.json)`;
    return `| ${link} | ${summary} | ${version} | ${partitions} | ${fields.join(', ')} |\n`;
  });
  const head = '| event and topic | what happened | version | partitions | fields |\n| --- | --- | --- | --- | --- |\n';
  const about =
    'Every published event, as CloudEvents 1.0 in JSON. The topic is the name of the event, prefixed with `TOLLGATE_TOPIC_PREFIX`. ' +
    'As AsyncAPI 3: [asyncapi.json](asyncapi.json).';
  return header('Events', about) + head + rows.join('');
}

function providers(): string {
  const about =
    'What channels of each type serve: client dialects (`/v1/chat/completions`, `/v1/messages`, `/v1/responses` and the Gemini API), ' +
    'tools and pictures in each dialect, searches that the upstream runs by itself, and the other endpoints. A request that a type does not serve ' +
    'or cannot express gets 400. A channel with several keys ([ADR](adr/0028-several-keys-are-one-channel.md)) uses them in turn or at random. A ' +
    'key that the provider refuses is set aside, and is used again after a successful test with it.';
  return header('Providers', about) + providerTable();
}

/** Names of the calls of clients, by the capability of a provider that serves them. */
const CALLS: Readonly<Record<Exclude<keyof Capabilities, 'models'>, string>> = {
  chat: 'chat',
  messages: 'messages',
  responses: 'responses',
  gemini: 'Gemini',
  completions: 'completions',
  embeddings: 'embeddings',
  embedContents: 'Gemini embeddings',
  rerank: 'rerank',
  moderations: 'moderations',
  images: 'images',
  imageEdits: 'image edits',
  speech: 'speech',
  transcriptions: 'transcriptions',
  translations: 'translations',
  realtime: 'realtime',
};

function clients(): string {
  const names = Object.keys(CALLS) as (keyof typeof CALLS)[];
  const row = ([type, { label }]: [string, { label: string }]): string => {
    const provider: Partial<Capabilities> = findProvider(Number(type)) ?? {};
    const cells = names.map((name) => (provider[name] ? 'yes' : ''));
    return `| ${type} | ${label} | ${cells.join(' | ')} |\n`;
  };
  const heads = Object.values(CALLS);
  const about =
    'Which client dialects and other calls each channel type serves. A dialect that the upstream does not support itself is converted ' +
    '([ADR](adr/0014-dialects-meet-in-one-conversation.md)); a request that cannot be expressed in the upstream dialect gets 400.';
  return (
    header('Clients and providers', about) +
    `| type | provider | ${heads.join(' | ')} |\n| --- | --- | ${heads.map(() => '---').join(' | ')} |\n` +
    Object.entries(channelTypes).map(row).join('') +
    `\n${beside}\n${costly()}`
  );
}

const costlyRow = (field: (typeof costlyFields)[number]): string =>
  `| \`${field.member}\` | ${unpricedValues(field)} | ${field.because} |\n`;

/** A section on the members for which an upstream may charge more. */
const costly = (): string =>
  `## Members that may cost more

With some members, or some values of them, a provider charges more than the price of the model covers. A request with such a value gets 400
([ADR](adr/0013-what-no-price-covers-is-refused.md)).

| member | refused values | reason |
| --- | --- | --- |
${costlyFields.map(costlyRow).join('')}
Where a request is passed on unchanged to an upstream of another dialect than chat:

| member | refused values | reason |
| --- | --- | --- |
${unchangedFields.map(costlyRow).join('')}`;

/** A section on what clients may send with any of these calls. */
const beside = `## Idempotency-Key

Every model call, including streams, and every submission to \`/mj\` and \`/suno\` accepts the header \`Idempotency-Key\` (1 to 255 visible ASCII
characters); sessions of \`/v1/realtime\` do not. For a day ([ADR](adr/0021-a-repeated-call-is-answered-from-what-is-kept.md)):

| a repeated call | gets |
| --- | --- |
| with the same body | the recorded answer (\`idempotency-replayed: true\`); it costs nothing |
| while the first call is still running | 409 with \`retry-after\` |
| with another body | 422 |
| after a call that failed without a charge | a run as if it were the first, because such calls are not recorded |
| after a call whose relay died | a new run, half a minute later. If the first call is charged for what it had produced, the new run costs nothing; it is a request of its own, whose log row names the first one in \`repeats\` ([ADR](adr/0040-one-record-for-one-id-whoever-dies.md)) |

## Request ids

Every answer has its id in \`X-Oneapi-Request-Id\`. Where the upstream states none of its own, answers and errors of the relay also have it where official clients look for it: in \`x-request-id\`
for those of OpenAI, in \`request-id\` for those of Anthropic.

## Searches

| call | tool | charged |
| --- | --- | --- |
| \`/v1/responses\` | \`web_search\`, \`web_search_preview\`, \`file_search\` | by the call and its \`search_context_size\`; at most \`max_tool_calls\`, 10 by default |
| \`/v1/messages\` | \`web_search_20250305\` | by the call; at most \`max_uses\`, 10 by default |
| \`/v1/chat/completions\` | \`web_search_options\`; search models, recognised by their names | one search for each call, by its \`search_context_size\` |
| chat, messages and responses over Gemini (24, 41) | a function called \`googleSearch\` | by the query that the answer reports, at most 10 |
| \`/v1beta/models/{model}\` | \`googleSearch\`, optionally restricted by time and domains | the same |

Only channels whose upstream supports the dialect itself run searches ([providers](providers.md), "own searches"). Every other search gets
400, because no price covers it ([ADR](adr/0013-what-no-price-covers-is-refused.md)).

## Parameters that are left out

When a request is converted between dialects, a wrong value gets 400 with its path, and so does everything that would change the question: a content type, a tool, a tool choice or
an answer schema that the upstream does not support. Parameters that only tune the answer are left out when the upstream has no equivalent. If client and upstream use the
same dialect, the client's own bytes are sent and nothing is left out.

| upstream | accepted parameters | left out |
| --- | --- | --- |
| OpenAI and compatible providers | temperature, top_p, seed, penalties, stop, parallel tool calls, \`reasoning_effort\`, JSON without and, except over DeepSeek, with a schema | top_k, \`thinking\`, verbosity; for OpenAI's o-series, GPT-5 (but not \`gpt-5-chat\`) and \`codex-\` models also temperature, top_p, penalties and stop, for the o-series parallel tool calls |
| Claude (14, 33, 41) | temperature (up to 1), top_p, top_k, stop, parallel tool calls, \`thinking\`, JSON with a schema | seed, penalties, \`reasoning_effort\`, verbosity, \`json_object\` |
| Gemini (24, 41) | temperature, top_p, top_k, seed, penalties, stop, a budget of \`thinking\` (2.5 and later; within the limits of the model), JSON with and without a schema | parallel tool calls, \`reasoning_effort\`, verbosity |
| Cohere (34) | temperature, top_p, top_k, seed, penalties, stop, JSON with and without a schema | parallel tool calls, \`thinking\`, \`reasoning_effort\`, verbosity |
| 百度文心千帆 (15) | temperature, top_p, a positive frequency_penalty, stop, \`json_object\` | top_k, seed, presence_penalty, parallel tool calls, \`thinking\`, \`reasoning_effort\`, verbosity |
| 腾讯混元 (23) | temperature, top_p, seed, stop | the output limit, top_k, penalties, a tool choice that requires some tool, everything that is left out for Baidu, and \`json_object\` |
| 讯飞星火认知 (18) | temperature, top_k, the output limit | top_p, stop, seed, penalties, every tool choice but \`none\`, everything that is left out for Baidu, and \`json_object\` |
| 智谱 ChatGLM (16) | temperature, top_p | the output limit, stop, and all others |
| Dify (37), Coze (49) | none: the app sets its own | all |

Over Claude a budget of \`thinking\`, also of a name with \`-thinking\`, is left out while a turn goes on whose calls have lost their signed thoughts, because Claude
refuses it then: dialects other than messages do not carry them. Models from 4.1 to 4.6 get no top_p beside a temperature; later ones get neither temperature, top_p nor top_k,
and \`adaptive\` thinking instead of a budget, because they refuse these. A model whose name does not state its generation gets all of them.
Stop sequences of white space and a \`user\` that is a mail address or a telephone number are left out, too.

JSON without a schema is asked of OpenAI and compatible providers with a line "Answer in JSON." in the system where no message has the word, because OpenAI refuses it
without.

Over Gemini, \`/v1/embeddings\` takes up to 100 inputs at once and refuses more with 400, as Google does.

Several answers at once (\`n\` above 1) come from OpenAI, compatible providers and Gemini. Over others they are refused, since a client that asks for two answers would get one;
so is \`logit_bias\` over every other dialect, since it can decide the answer.

Left out everywhere: \`logprobs\` and \`top_logprobs\` of chat, \`is_error\` of Anthropic's tool results and \`videoMetadata\` of Google's parts. Left out everywhere but over OpenAI and compatible providers: \`strict\` of tools
and schemas.
`;

const json = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

function asyncApi(): string {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  return json(asyncApiDocument(allEvents, version));
}

const eventSchemas = Object.fromEntries(
  allEvents.map((contract) => [`docs/schemas/${contract.name}.json`, () => json(eventJsonSchema(contract))]),
);

/** The generated documents, by path. */
export const generatedDocuments: Record<string, () => string> = {
  '.env.example': environment,
  'docs/environment.md': variables,
  'docs/options.md': options,
  'docs/clients.md': clients,
  'docs/providers.md': providers,
  'docs/events.md': events,
  'docs/adr/README.md': adrIndex,
  'docs/asyncapi.json': asyncApi,
  'docs/scale.md': scalePage,
  'helm/tollgate/README.md': chartReadme,
  [SUMS_FILE]: migrationSums,
  ...eventSchemas,
};
