/** Kinds of calls that a request for a model may be; free of the schema library. */
export const whyEndpoints = [
  'chat',
  'messages',
  'responses',
  'gemini',
  'completions',
  'embeddings',
  'rerank',
  'images',
  'speech',
  'transcriptions',
  'realtime',
  'moderations',
] as const;
