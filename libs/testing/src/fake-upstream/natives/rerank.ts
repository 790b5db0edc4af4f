import type { JsonObject } from '../dialects.js';
import { type Native, textIn } from './native.js';

const wordsOf = (value: unknown): string[] => {
  const text = typeof value === 'string' ? value : textIn((value as JsonObject | null)?.text);
  return text.toLowerCase().split(/\W+/).filter(Boolean);
};

/** Rankings in Jina's format: documents that share more words with the query come first. */
export const rerank: Native = ({ url, headers, json }) => {
  if (!url.pathname.endsWith('/rerank') || !Array.isArray(json.documents)) return undefined;
  if (headers.authorization === 'Bearer bad-key') return { status: 401, json: { detail: 'Invalid API key' } };
  const documents: unknown[] = json.documents;
  const query = new Set(wordsOf(json.query));
  const results = documents
    .map((document, index) => ({
      index,
      relevance_score: wordsOf(document).filter((word) => query.has(word)).length / 10,
      ...(json.return_documents === true && { document: typeof document === 'string' ? { text: document } : document }),
    }))
    .sort((a, b) => b.relevance_score - a.relevance_score)
    .slice(0, typeof json.top_n === 'number' ? json.top_n : undefined);
  const total = documents.reduce<number>(
    (sum, document) => sum + wordsOf(document).length,
    query.size * documents.length,
  );
  return { status: 200, json: { model: json.model, usage: { total_tokens: total }, results } };
};
