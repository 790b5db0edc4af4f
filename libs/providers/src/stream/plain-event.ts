const LF = 0x0a;
const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LETTER_D = 0x64;
const LETTER_E = 0x65;
const LETTER_N = 0x6e;
const USAGE = Buffer.from('"usage"');
const ERROR = Buffer.from('"error"');
/** MiniMax, Alibaba and similar servers report an error in a regular event by these members. */
const STATUS = Buffer.from('"base_resp"');
const SUCCESS = Buffer.from('"success"');
const REQUEST = Buffer.from('"request_id"');
const DATA_LENGTH = 'data: '.length;

/** Whether the bytes end with `}` and a blank line. */
function endsPlain(bytes: Buffer): boolean {
  const end = bytes.length - 2;
  return end > DATA_LENGTH && bytes[end + 1] === LF && bytes[end] === LF && bytes[end - 1] === CLOSE_BRACE;
}

function isName(bytes: Buffer, at: number, name: Buffer): boolean {
  for (let index = 1; index < name.length; index += 1) if (bytes[at + index] !== name[index]) return false;
  return true;
}

/** Whether the member at `at` has a value other than null. Some servers put spaces after the colon. */
function hasValue(bytes: Buffer, at: number): boolean {
  let next = at + USAGE.length;
  while (bytes[next] === SPACE || bytes[next] === COLON) next += 1;
  return bytes[next] !== LETTER_N;
}

const isUsage = (bytes: Buffer, at: number): boolean => bytes[at + 1] === USAGE[1] && isName(bytes, at, USAGE);
const isError = (bytes: Buffer, at: number): boolean => bytes[at + 1] === ERROR[1] && isName(bytes, at, ERROR);
const isVerdict = (bytes: Buffer, at: number): boolean =>
  (bytes[at + 1] === STATUS[1] && isName(bytes, at, STATUS)) ||
  (bytes[at + 1] === SUCCESS[1] && isName(bytes, at, SUCCESS)) ||
  (bytes[at + 1] === REQUEST[1] && isName(bytes, at, REQUEST));

const isTelling = (bytes: Buffer, at: number): boolean =>
  ((isUsage(bytes, at) || isError(bytes, at)) && hasValue(bytes, at)) || isVerdict(bytes, at);

const beginsWithData = (bytes: Buffer): boolean =>
  bytes[0] === LETTER_D && bytes[4] === COLON && bytes[DATA_LENGTH] === OPEN_BRACE;

const SEPARATOR = Buffer.from('\n\ndata: {');

/** Whether the byte at `at`, known to be a line feed, begins the blank line between two events. */
function isSeparator(bytes: Buffer, at: number): boolean {
  if (bytes[at - 1] !== CLOSE_BRACE) return false;
  for (let index = 1; index < SEPARATOR.length; index += 1) if (bytes[at + index] !== SEPARATOR[index]) return false;
  return true;
}

/**
 * Whether the bytes are whole OpenAI events, one or several as they arrived, that the relay need not parse: without usage, error or
 * moderation result. This runs for every chunk of every stream; a loop over the bytes is faster than converting to a string for a search,
 * and than a native search for each name.
 */
export function arePlainOpenAiEvents(bytes: Buffer): boolean {
  if (!endsPlain(bytes) || !beginsWithData(bytes)) return false;
  const end = bytes.length - 2;
  for (let at = DATA_LENGTH + 1; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE && isTelling(bytes, at)) return false;
    if (byte === LF && !isSeparator(bytes, at)) return false;
    if (byte === LF) at += SEPARATOR.length - 1;
  }
  return true;
}

const EVENT_RESPONSE = Buffer.from('event: response.');
const DELTA = Buffer.from('.delta');

/**
 * Whether the bytes are one whole event of POST /v1/responses that only adds a piece of text: a `response.….delta` with one line of data.
 */
export function isPlainResponsesEvent(bytes: Buffer): boolean {
  if (!endsPlain(bytes) || !bytes.subarray(0, EVENT_RESPONSE.length).equals(EVENT_RESPONSE)) return false;
  const line = bytes.indexOf(LF);
  if (!bytes.subarray(line - DELTA.length, line).equals(DELTA)) return false;
  const hasData = bytes[line + 1] === LETTER_D && bytes[line + 1 + DATA_LENGTH] === OPEN_BRACE;
  return hasData && bytes.indexOf(LF, line + 1) === bytes.length - 2;
}

/** Whether the bytes are one whole Anthropic event with nothing but content: `content_block_…` or `ping`. */
export function isPlainAnthropicEvent(bytes: Buffer): boolean {
  if (!endsPlain(bytes) || bytes[0] !== LETTER_E || bytes[5] !== COLON) return false;
  // No other type begins with these two letters.
  const isContent = bytes[7] === 0x63 && bytes[8] === 0x6f;
  const isPing = bytes[7] === 0x70 && bytes[8] === 0x69;
  if (!isContent && !isPing) return false;
  const line = bytes.indexOf(LF);
  const hasData = bytes[line + 1] === LETTER_D && bytes[line + 1 + DATA_LENGTH] === OPEN_BRACE;
  return hasData && bytes.indexOf(LF, line + 1) === bytes.length - 2;
}
