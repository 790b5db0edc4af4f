/**
 * How the fake upstream answers. Every setting can be made for the process, for one base address and for one request.
 */
export interface FakeBehaviour {
  /** Pause before the first byte, in milliseconds. */
  latencyMs: number;
  /** Rate of a stream; 0 is as fast as possible. */
  tokensPerSecond: number;
  /** Words of the reply, one token each, unless the client's limit is lower. */
  tokens: number;
  /** Ignores the client's limit. */
  unlimited: boolean;
  /** Prompt tokens reported as read from the cache. */
  cachedTokens: number;
  usage: 'given' | 'zero' | 'absent' | 'twice';
  /** A status other than 200 is answered as an error in the dialect, with the code and type below. */
  status: number;
  errorCode: string;
  errorType: string;
  errorMessage: string;
  /** Sends the error with status 200. */
  errorIn200: boolean;
  /** Number of the chunk after which a stream sends an error event; −1 means never, here and in the next settings. */
  errorAfter: number;
  /** Number of the chunk after which the connection is broken. A reply that is no stream breaks in its middle. */
  cutAfter: number;
  /** Number of the chunk after which nothing more is sent, with the connection left open. */
  silentAfter: number;
  /** Number of the chunk before which an event with invalid JSON is sent. */
  malformedAt: number;
  /** Content type to send instead of the right one. */
  contentType: string;
  gzip: boolean;
  crlf: boolean;
  /** Replies in Chinese, and splits every write inside a character. */
  splitUtf8: boolean;
  /** Length of the first word in bytes. */
  hugeBytes: number;
  /** Milliseconds between the first event that closes a stream (for OpenAI the finish reason) and the next. */
  tailMs: number;
  /** Omits the stream's terminal event. */
  noEnd: boolean;
  /** Answers a request for a stream with a whole reply. */
  whole: boolean;
  /** Number of web searches and of file searches to report, regardless of the tools in the request. */
  searches: number;
  fileSearches: number;
}

export const defaultBehaviour: FakeBehaviour = {
  latencyMs: 0,
  tokensPerSecond: 0,
  tokens: 10,
  unlimited: false,
  cachedTokens: 0,
  usage: 'given',
  status: 200,
  errorCode: 'server_error',
  errorType: 'server_error',
  errorMessage: '',
  errorIn200: false,
  errorAfter: -1,
  cutAfter: -1,
  silentAfter: -1,
  malformedAt: -1,
  contentType: '',
  gzip: false,
  crlf: false,
  splitUtf8: false,
  hugeBytes: 0,
  tailMs: 0,
  noEnd: false,
  whole: false,
  searches: 0,
  fileSearches: 0,
};

/** Short names of settings in prompts and addresses: `[[tokens=50 latency=200 status=500 code=overloaded]]`. */
const shortNames: Readonly<Record<string, keyof FakeBehaviour>> = {
  latency: 'latencyMs',
  tps: 'tokensPerSecond',
  tokens: 'tokens',
  unlimited: 'unlimited',
  cached: 'cachedTokens',
  usage: 'usage',
  status: 'status',
  code: 'errorCode',
  type: 'errorType',
  message: 'errorMessage',
  error200: 'errorIn200',
  error: 'errorAfter',
  cut: 'cutAfter',
  silence: 'silentAfter',
  malformed: 'malformedAt',
  content: 'contentType',
  gzip: 'gzip',
  crlf: 'crlf',
  split: 'splitUtf8',
  huge: 'hugeBytes',
  tail: 'tailMs',
  noend: 'noEnd',
  whole: 'whole',
  searches: 'searches',
  files: 'fileSearches',
};

const usages: readonly string[] = ['given', 'zero', 'absent', 'twice'] satisfies FakeBehaviour['usage'][];

const readBoolean = (text: string): boolean => text === '' || text === '1' || text === 'true';

function readValue(name: keyof FakeBehaviour, text: string): string | number | boolean {
  const fallback = defaultBehaviour[name];
  if (typeof fallback === 'boolean') return readBoolean(text);
  if (typeof fallback === 'string') {
    if (name === 'usage' && !usages.includes(text))
      throw new Error(`usage is one of ${usages.join(', ')}, not "${text}"`);
    return text;
  }
  const number = Number(text);
  if (text === '' || !Number.isFinite(number)) throw new Error(`${name} is a number, not "${text}"`);
  return number;
}

/** Parses settings by their long or short names; throws on unknown names and invalid values. */
export function readBehaviour(values: Readonly<Record<string, unknown>>): Partial<FakeBehaviour> {
  const entries = Object.entries(values).map(([key, value]) => {
    const name = shortNames[key] ?? key;
    if (!Object.hasOwn(defaultBehaviour, name)) throw new Error(`unknown setting "${key}"`);
    return [name, readValue(name as keyof FakeBehaviour, String(value))] as const;
  });
  return Object.fromEntries(entries) as Partial<FakeBehaviour>;
}

/** Parses settings like `tokens=5 usage=absent crlf`, separated by spaces or commas. */
export function readDirectives(text: string): Partial<FakeBehaviour> {
  const pairs = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((pair): [string, string] => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
    });
  return readBehaviour(Object.fromEntries(pairs));
}

const MAGIC = /\[\[([^\]]*)\]\]/g;

/** Separates the settings in a prompt from its text. Only the text counts as tokens. */
export function splitMagic(prompt: string): { text: string; behaviour: Partial<FakeBehaviour> } {
  let behaviour: Partial<FakeBehaviour> = {};
  const text = prompt.replace(MAGIC, (_, directives: string) => {
    behaviour = { ...behaviour, ...readDirectives(directives) };
    return ' ';
  });
  return { text, behaviour };
}

/** Counts tokens: one per word. */
export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** The words of the reply, `w1`, ` w2`, …: each with the space before it, so that one piece is one token. */
export function replyWords(behaviour: FakeBehaviour, limit: number | undefined): string[] {
  const length = limit && !behaviour.unlimited ? Math.min(behaviour.tokens, limit) : behaviour.tokens;
  return Array.from({ length }, (_, index) => {
    const word = behaviour.splitUtf8 ? `词${index + 1}号` : `w${index + 1}`;
    const long = index === 0 && behaviour.hugeBytes > 0 ? 'x'.repeat(behaviour.hugeBytes) : word;
    return index === 0 ? long : ` ${long}`;
  });
}
