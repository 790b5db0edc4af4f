/** How the stand-in answers. Every member can be set for the process, for one base address and for one request. */
export interface FakeBehaviour {
  /** Pause before the first byte. */
  latencyMs: number;
  /** Pace of a stream; 0 = as fast as it goes. */
  tokensPerSecond: number;
  /** Words of the reply, one token each; the client's limit cuts them. */
  tokens: number;
  /** The client's limit is ignored. */
  unlimited: boolean;
  /** Prompt tokens reported as read from the cache. */
  cachedTokens: number;
  usage: 'given' | 'zero' | 'absent' | 'twice';
  /** Anything but 200 is answered as an error in the dialect, with the code and type below. */
  status: number;
  errorCode: string;
  errorType: string;
  errorMessage: string;
  /** The same error, under status 200. */
  errorIn200: boolean;
  /** Chunk after which a stream sends an error event; −1 = never. So below. */
  errorAfter: number;
  /** Chunk after which the connection is torn. A reply that is no stream breaks in its middle. */
  cutAfter: number;
  /** Chunk after which nothing more comes, with the connection open. */
  silentAfter: number;
  /** Chunk before which an event stands that is no JSON. */
  malformedAt: number;
  /** Replaces the right content type. */
  contentType: string;
  gzip: boolean;
  crlf: boolean;
  /** The reply has Chinese words, and every write ends inside a character. */
  splitUtf8: boolean;
  /** The first word is this long. */
  hugeBytes: number;
  /** Pause between the first event that closes a stream (of OpenAI: the finish reason) and the next. */
  tailMs: number;
  /** Leaves out the stream's terminal event. */
  noEnd: boolean;
  /** Searches that are made and told of, in the web and in files, whatever tools there are. */
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
  searches: 0,
  fileSearches: 0,
};

/** Short names for prompts and addresses: `[[tokens=50 latency=200 status=500 code=overloaded]]`. */
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

/** Reads settings by their long or short names; throws on unknown names and unusable values. */
export function readBehaviour(values: Readonly<Record<string, unknown>>): Partial<FakeBehaviour> {
  const entries = Object.entries(values).map(([key, value]) => {
    const name = shortNames[key] ?? key;
    if (!Object.hasOwn(defaultBehaviour, name)) throw new Error(`unknown setting "${key}"`);
    return [name, readValue(name as keyof FakeBehaviour, String(value))] as const;
  });
  return Object.fromEntries(entries) as Partial<FakeBehaviour>;
}

/** `tokens=5 usage=absent crlf`, separated by spaces or commas. */
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

/** The settings a prompt carries, and the prompt without them, which is what tokens are counted of. */
export function splitMagic(prompt: string): { text: string; behaviour: Partial<FakeBehaviour> } {
  let behaviour: Partial<FakeBehaviour> = {};
  const text = prompt.replace(MAGIC, (_, directives: string) => {
    behaviour = { ...behaviour, ...readDirectives(directives) };
    return ' ';
  });
  return { text, behaviour };
}

/** The stand-in's tokens are words. */
export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

/** The reply: `w1 w2 …`, each word with the space before it, so that one piece is one token. */
export function replyWords(behaviour: FakeBehaviour, limit: number | undefined): string[] {
  const length = limit && !behaviour.unlimited ? Math.min(behaviour.tokens, limit) : behaviour.tokens;
  return Array.from({ length }, (_, index) => {
    const word = behaviour.splitUtf8 ? `词${index + 1}号` : `w${index + 1}`;
    const long = index === 0 && behaviour.hugeBytes > 0 ? 'x'.repeat(behaviour.hugeBytes) : word;
    return index === 0 ? long : ` ${long}`;
  });
}
