import type { Native } from './native.js';

/** Ollama's own embeddings API. */
export const ollama: Native = ({ url, json }) => {
  if (!url.pathname.endsWith('/api/embed')) return undefined;
  const input = Array.isArray(json.input) ? json.input : [json.input];
  return {
    status: 200,
    json: { model: json.model, embeddings: input.map((_, index) => [index, 0.5]), prompt_eval_count: 3 * input.length },
  };
};
