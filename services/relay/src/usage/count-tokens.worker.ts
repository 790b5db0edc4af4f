import { parentPort } from 'node:worker_threads';

export interface Question {
  id: number;
  text: string;
  /** Separator of parts of the text that are counted independently. */
  between: string;
  model: string;
  /** Time limit in milliseconds. */
  ms: number;
}

/** The number of tokens of the first `read` characters; these are fewer than requested when the time ran out. */
export interface Count {
  id: number;
  tokens: number;
  read: number;
}

const NEW_VOCABULARY = /^(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-5|o\d)/;
/**
 * Longest run of characters without a break that is tokenized at once, because the tokenizer's time grows with the
 * square of the run. Each cut adds at most a token or two.
 */
const MAX_RUN = 64;
/** Most characters between two checks of the time. */
const MAX_PIECE = 16 * 1024;

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The text in pieces, with long runs of one kind cut between characters; the pieces joined give the same text. */
export function cutRuns(text: string, most = MAX_RUN): string[] {
  const pieces: string[] = [];
  let start = 0;
  let runStart = 0;
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isTurn = isSpace(code) !== isSpace(text.charCodeAt(at - 1));
    if (isTurn) runStart = at;
    // Tokenizers attach a space to the following word, so the cut is before it.
    const isFull = isTurn && isSpace(code) && at - start >= MAX_PIECE;
    if (!isFull && (at - runStart < most || isLowSurrogate(code))) continue;
    pieces.push(text.slice(start, at));
    start = at;
    runStart = at;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/**
 * Counts texts until `ms` milliseconds have passed. The time is checked before each piece, so it is exceeded by at most
 * one piece.
 */
export function countWithin(
  texts: readonly string[],
  ms: number,
  countTokens: (piece: string) => number,
  now = (): number => performance.now(),
): Omit<Count, 'id'> {
  const until = now() + ms;
  const done = { tokens: 0, read: 0 };
  for (const [index, text] of texts.entries()) {
    // The separator was read, too.
    if (index > 0) done.read += 1;
    for (const piece of cutRuns(text)) {
      if (now() > until) return done;
      done.tokens += countTokens(piece);
      done.read += piece.length;
    }
  }
  return done;
}

/** Counts with the vocabulary of the model. Vocabularies are large, so each is loaded when it is first needed. */
async function count({ id, text, between, model, ms }: Question): Promise<Count> {
  const { countTokens } = NEW_VOCABULARY.test(model)
    ? await import('gpt-tokenizer/encoding/o200k_base')
    : await import('gpt-tokenizer/encoding/cl100k_base');
  const tokensOf = (piece: string): number => countTokens(piece, { disallowedSpecial: new Set() });
  return { id, ...countWithin(text.split(between), ms, tokensOf) };
}

parentPort?.on('message', (question: Question) => {
  count(question).then(
    (done) => parentPort?.postMessage(done),
    () => parentPort?.postMessage({ id: question.id, tokens: 0, read: 0 } satisfies Count),
  );
});
