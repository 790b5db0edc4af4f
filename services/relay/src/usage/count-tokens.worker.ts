import { parentPort } from 'node:worker_threads';

export interface Question {
  id: number;
  text: string;
  /** Stands between parts of the text that are counted each for itself. */
  between: string;
  model: string;
  /** How long this may take. */
  ms: number;
}

/** `read` characters have so many tokens; fewer than were asked about when time ran out. */
export interface Count {
  id: number;
  tokens: number;
  read: number;
}

const NEW_VOCABULARY = /^(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-5|o\d)/;
/** The tokenizer's work grows with the square of a run without a break. One cut in so many characters adds at most a token or two. */
const MAX_RUN = 64;
/** Between two looks at the clock. */
const MAX_PIECE = 16 * 1024;

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** The text in pieces, with long runs of one kind cut between characters; put together again it is the same. */
export function cutRuns(text: string, most = MAX_RUN): string[] {
  const pieces: string[] = [];
  let start = 0;
  let runStart = 0;
  for (let at = 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isTurn = isSpace(code) !== isSpace(text.charCodeAt(at - 1));
    if (isTurn) runStart = at;
    // A space belongs to the word behind it.
    const isFull = isTurn && isSpace(code) && at - start >= MAX_PIECE;
    if (!isFull && (at - runStart < most || isLowSurrogate(code))) continue;
    pieces.push(text.slice(start, at));
    start = at;
    runStart = at;
  }
  pieces.push(text.slice(start));
  return pieces;
}

/** As far as the time goes: looked at before each piece, so nothing runs over by more than one. Milliseconds. */
export function countWithin(
  texts: readonly string[],
  ms: number,
  countTokens: (piece: string) => number,
  now = (): number => performance.now(),
): Omit<Count, 'id'> {
  const until = now() + ms;
  const done = { tokens: 0, read: 0 };
  for (const [index, text] of texts.entries()) {
    // What stands between them was read, too.
    if (index > 0) done.read += 1;
    for (const piece of cutRuns(text)) {
      if (now() > until) return done;
      done.tokens += countTokens(piece);
      done.read += piece.length;
    }
  }
  return done;
}

/** Vocabularies are large: each is loaded when a model first needs it. */
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
