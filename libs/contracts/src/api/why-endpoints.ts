/** Kinds of calls for a model, in a file without the schema library, so that the console can import it cheaply. */
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
