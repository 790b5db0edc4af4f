import { readUntil, type Site } from '@tollgate/testing';

/** A log row as administrators see it. */
export interface LogRow {
  type: number;
  content: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  is_stream: boolean;
  channel: number;
  model_name: string;
  token_name: string;
  user_id: number;
  other: {
    request_id: string;
    outcome: string;
    frt: number;
    usage_source: string;
    usage_doubt?: string;
    abort_policy?: string;
    error_code?: string;
    status_code?: number;
    is_model_mapped?: boolean;
    upstream_model_name?: string;
    web_search_call_count?: number;
    admin_info: { use_channel: string[]; named_channel?: true };
  };
}

export type ClientDialect = 'openai' | 'anthropic';

export const MODELS = { openai: 'gpt-4o', anthropic: 'claude-3-7-sonnet-20250219' } as const;
export const PATHS = { openai: '/v1/chat/completions', anthropic: '/v1/messages' } as const;
export const keyHeader = (dialect: ClientDialect, key: string): Record<string, string> =>
  dialect === 'openai' ? { authorization: `Bearer ${key}` } : { 'x-api-key': key, 'anthropic-version': '2023-06-01' };

export interface Ask {
  dialect: ClientDialect;
  key: string;
  prompt: string;
  isStream?: boolean;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Starts a conversation in either dialect. */
export const ask = (
  url: string,
  { dialect, key, prompt, isStream = false, body, headers, signal }: Ask,
): Promise<Response> =>
  fetch(`${url}${PATHS[dialect]}`, {
    method: 'POST',
    headers: { ...keyHeader(dialect, key), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: MODELS[dialect],
      max_tokens: 100,
      stream: isStream,
      messages: [{ role: 'user', content: prompt }],
      ...body,
    }),
    ...(signal && { signal }),
  });

export interface Answer {
  status: number;
  requestId: string;
  contentType: string;
  retryAfter: string | null;
  /** The text of the model. */
  text: string;
  /** `done` and `error` as in the dialect; `cut` is a stream that ended with neither. */
  end: 'done' | 'error' | 'cut';
  error: { message?: string; type?: string; code?: string } | undefined;
}

/** Reads a reply as a client of the dialect does. */
export async function read(reply: Response, dialect: ClientDialect): Promise<Answer> {
  const contentType = reply.headers.get('content-type') ?? '';
  const body = await reply.text().catch(() => '');
  const parts = contentType.includes('event-stream') ? eventsOf(body) : [JSON.parse(body) as Part];
  const failed = parts.find((part) => part.error);
  const isDone = contentType.includes('event-stream') ? isOver(body, dialect) : reply.ok;
  const end = failed ? 'error' : isDone ? 'done' : 'cut';
  return {
    status: reply.status,
    requestId: reply.headers.get('x-oneapi-request-id') ?? '',
    contentType,
    retryAfter: reply.headers.get('retry-after'),
    text: parts.map((part) => textOf(part)).join(''),
    end,
    error: failed?.error,
  };
}

interface Part {
  error?: Answer['error'];
  choices?: { delta?: { content?: string }; message?: { content?: string } }[];
  content?: { text?: string }[];
  delta?: { text?: string };
}

const textOf = ({ choices = [], content = [], delta }: Part): string =>
  [
    ...choices.flatMap((choice) => [choice.delta?.content, choice.message?.content]),
    ...content.map(({ text }) => text),
    delta?.text,
  ].join('');

export const isOver = (body: string, dialect: ClientDialect): boolean =>
  dialect === 'openai' ? body.endsWith('data: [DONE]\n\n') : /event: message_stop\r?\ndata: [^\n]*\n\r?\n$/.test(body);

const eventsOf = (body: string): Part[] =>
  body
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]')
    .map((line) => JSON.parse(line.slice('data: '.length)) as Part);

/** Log rows as an administrator sees them, newest first. */
export async function logRows(site: Site, type = 0): Promise<LogRow[]> {
  const rows: LogRow[] = [];
  for (let page = 1; ; page += 1) {
    const path = `/api/log/?type=${type}&p=${page}&page_size=100`;
    const { items, total } = await site.root.data<{
      items: (Omit<LogRow, 'other'> & { other: string })[];
      total: number;
    }>('GET', path);
    rows.push(...items.map((row) => ({ ...row, other: JSON.parse(row.other || '{}') as LogRow['other'] })));
    if (items.length === 0 || rows.length >= total) return rows.filter(({ other }) => other.request_id !== undefined);
  }
}

/** The only row of a request; throws when there is none or more than one. */
export async function rowOf(site: Site, requestId: string): Promise<LogRow> {
  const find = async (): Promise<LogRow[]> =>
    (await logRows(site)).filter(({ other }) => other.request_id === requestId);
  const rows = await readUntil(find, ({ length }) => length > 0);
  const [row] = rows;
  if (!row || rows.length > 1) throw new Error(`${rows.length} rows for request ${requestId}`);
  return row;
}

export const quotaOf = async (site: Site, userId: number): Promise<number> =>
  (await site.root.data<{ quota: number }>('GET', `/api/user/${userId}`)).quota;
