import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export type RerankStyle = 'jina' | 'cohere' | 'siliconflow' | 'xinference' | 'cloudflare';

interface RerankCall {
  style: RerankStyle;
  path: string;
  body: Record<string, unknown>;
}

export interface RerankUpstream {
  /** Base address of a provider that formats its rankings in this style. */
  urlOf(style: RerankStyle): string;
  calls: RerankCall[];
  /** Refuses the next request. */
  refuseNext(status: number): void;
  close(): Promise<void>;
}

/** Tokens that Jina reports for a ranking. */
export const RANKED_TOKENS = 38;

interface Ranked {
  index: number;
  score: number;
}

const textOf = (document: unknown): string =>
  typeof document === 'string' ? document : String((document as { text?: unknown }).text);

/** Ranks documents by the number of words they share with the query. */
function ranked(query: string, documents: unknown[], top: unknown): Ranked[] {
  const words = new Set(query.toLowerCase().split(/\W+/));
  const scoreOf = (document: unknown): number =>
    textOf(document)
      .toLowerCase()
      .split(/\W+/)
      .filter((word) => words.has(word)).length / 10;
  return documents
    .map((document, index) => ({ index, score: scoreOf(document) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, typeof top === 'number' ? top : undefined);
}

type Writer = (ranking: Ranked[], body: Record<string, unknown>) => object;

const resultsOf = (ranking: Ranked[], document: (index: number) => object): object[] =>
  ranking.map(({ index, score }) => ({ index, relevance_score: score, ...document(index) }));

const documentsIn = ({ documents }: Record<string, unknown>): unknown[] => documents as unknown[];
const asObject = (body: Record<string, unknown>) => (index: number) =>
  body.return_documents === true ? { document: { text: textOf(documentsIn(body)[index]) } } : {};

const writers: Record<RerankStyle, Writer> = {
  jina: (ranking, body) => ({
    model: body.model,
    object: 'list',
    usage: { total_tokens: RANKED_TOKENS },
    results: resultsOf(ranking, asObject(body)),
  }),
  // Cohere charges by the search and reports no tokens.
  cohere: (ranking, body) => ({
    id: 'rank-1',
    results: resultsOf(ranking, asObject(body)),
    meta: { api_version: { version: '1' }, billed_units: { search_units: 1 } },
  }),
  siliconflow: (ranking, body) => ({
    id: 'rank-2',
    results: resultsOf(ranking, asObject(body)),
    meta: { billed_units: { input_tokens: 21, output_tokens: 0 }, tokens: { input_tokens: 21, output_tokens: 0 } },
  }),
  // Xinference never returns documents, and reports usage only on request.
  xinference: (ranking) => ({
    id: 'rank-3',
    results: resultsOf(ranking, () => ({ document: null })),
    meta: {
      api_version: null,
      billed_units: null,
      tokens: { input_tokens: null, output_tokens: null },
      warnings: null,
    },
  }),
  cloudflare: (ranking) => ({
    result: { response: ranking.map(({ index, score }) => ({ id: index, score })) },
    success: true,
    errors: [],
    messages: [],
  }),
};

/** Starts providers that rank documents, each with its own format. */
export async function startRerankUpstream(): Promise<RerankUpstream> {
  const calls: RerankCall[] = [];
  let refusal: number | undefined;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, style = '', ...rest] = (request.url ?? '').split('/');
    const body = (await json(request)) as Record<string, unknown>;
    const answer = (status: number, reply: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
    if (!Object.hasOwn(writers, style)) return answer(404, { message: 'not found' });
    if (request.headers.authorization === 'Bearer wrong') return answer(401, { message: 'invalid api token' });
    calls.push({ style: style as RerankStyle, path: `/${rest.join('/')}`, body });
    if (refusal !== undefined) {
      const status = refusal;
      refusal = undefined;
      return answer(status, { message: 'please try again later' });
    }
    const documents = (body.documents ?? body.contexts) as unknown[];
    answer(200, writers[style as RerankStyle](ranked(String(body.query), documents, body.top_n ?? body.top_k), body));
  };
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urlOf: (style) => `${url}/${style}`,
    calls,
    refuseNext: (status) => void (refusal = status),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
