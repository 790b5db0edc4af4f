import { parentPort } from 'node:worker_threads';

interface Question {
  id: number;
  text: string;
  model: string;
}

const NEW_VOCABULARY = /^(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-5|o\d)/;

/** Vocabularies are large: each is loaded when a model first needs it. */
async function count({ text, model }: Question): Promise<number> {
  const { countTokens } = NEW_VOCABULARY.test(model)
    ? await import('gpt-tokenizer/encoding/o200k_base')
    : await import('gpt-tokenizer/encoding/cl100k_base');
  return countTokens(text, { disallowedSpecial: new Set() });
}

parentPort?.on('message', (question: Question) => {
  count(question).then(
    (tokens) => parentPort?.postMessage({ id: question.id, tokens }),
    () => parentPort?.postMessage({ id: question.id, tokens: undefined }),
  );
});
