import { parseObject, textOf } from '../json/json.js';

/** Longer messages are cut: nobody reads them, and masking stays cheap. */
const MAX_MESSAGE = 2000;
const MASK = '***';
/** Characters of the shortest value that is masked whatever it looks like. */
const SHORTEST = 4;

const patterns: readonly [RegExp, string][] = [
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s"'<>()[\]{}|]+/gi, `$1${MASK}`],
  [/\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+\b/g, MASK],
  [/\b(Bearer\s+)[\w.~+/=*-]{8,}/gi, `$1${MASK}`],
  // A word of a sentence has no capital letter but its first.
  [/\b((?:[Bb]asic|BASIC)\s+)(?=\w[\w+/-]*[A-Z\d=])[\w+/=-]{8,}/g, `$1${MASK}`],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, MASK],
  [/\b(?:sk|pk|rk|gsk|xai|fastgpt|org|proj|acct)[-_][\w*-]{8,}/gi, MASK],
  [/\bAIza[\w-]{20,}/g, MASK],
  [/\bya29\.[\w.-]+/g, MASK],
  [/\bAKIA[A-Z0-9]{12,}/g, MASK],
  [/\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{32,}\b/g, MASK],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b/g, MASK],
  [/\[?(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4}){1,4}\]?(?::\d{1,5})?/gi, MASK],
  [
    /\b(?:[a-z0-9-]{1,63}\.)+(?:com|net|org|io|ai|cn|dev|cloud|tech|top|xyz|local|internal|lan|svc|corp|intranet|localdomain|arpa)(?::\d{1,5})?(?:\/[^\s"'<>]*)?(?![\w-])/gi,
    MASK,
  ],
  // Of a network's own, whatever it ends in: what was looked up, or was to be connected to.
  [
    /\b((?:lookup|dial(?: tcp)?:?|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|resolve host:?|to host:?)\s+)(?!tcp\b|lookup\b)(?=[\w.-]*[.\d:-]|[\w-]+ on\b)[\w-]{1,63}(?:\.[\w-]{1,63})*(?::\d{1,5})?(?![\w.])/gi,
    `$1${MASK}`,
  ],
  // A port stands behind a host.
  [/\b(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}:\d{2,5}\b/gi, MASK],
  // A token of Baidu's says whose application it is.
  [/\b\d{1,3}\.(?:[0-9a-f]{32}|\*{3})\.\d+\.\d+\.[\d-]+/gi, MASK],
  [/\blocalhost(?::\d{1,5})?\b/gi, MASK],
];

/** The text with the value masked. No regular expression is made of it, because a value may be longer than one can be. */
function withoutValue(text: string, value: string): string {
  const [low, sought] = [text.toLowerCase(), value.toLowerCase()];
  // A few letters grow when they become small ones: their places are others then.
  if (low.length !== text.length || sought.length !== value.length) return text.replaceAll(value, MASK);
  const pieces: string[] = [];
  let from = 0;
  for (let at = low.indexOf(sought); at !== -1; at = low.indexOf(sought, from)) {
    pieces.push(text.slice(from, at));
    from = at + sought.length;
  }
  return [...pieces, text.slice(from)].join(MASK);
}

/** Characters of the shortest value that is masked in coded form too: a shorter one would be found in any long text. */
const SHORTEST_CODED = 8;
const CODED = /[\w+/=-]/;

/** What a value becomes in Base64, by its place in a group of three bytes, in both alphabets and without what depends on its neighbours. */
export function codedForms(value: string): string[] {
  const bytes = Buffer.from(value);
  const plain = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
  );
  return [...new Set(plain.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]))];
}

/** Without the words that have a coded form in them. The whole word goes: what stands beside the value in it may be the rest of a password. */
export function withoutCoded(text: string, form: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, from)) {
    let start = at;
    while (start > from && CODED.test(text.charAt(start - 1))) start -= 1;
    pieces.push(text.slice(from, start));
    from = at + form.length;
    while (from < text.length && CODED.test(text.charAt(from))) from += 1;
  }
  return [...pieces, text.slice(from)].join(MASK);
}

/**
 * An upstream's words without addresses, keys, accounts and e-mail addresses. `known` are values of this very channel
 * (key, organisation, host), which are masked whatever they look like.
 */
export function maskSecrets(message: string, known: readonly string[] = []): string {
  const secrets = known.filter(({ length }) => length >= SHORTEST && length <= message.length);
  const coded = secrets.filter(({ length }) => length >= SHORTEST_CODED).flatMap(codedForms);
  // A value that the cut goes through would be there in part.
  const longest = Math.max(0, ...[...secrets, ...coded].map(({ length }) => length));
  let masked = message.slice(0, MAX_MESSAGE + longest);
  for (const form of coded) masked = withoutCoded(masked, form);
  for (const secret of secrets) masked = withoutValue(masked, secret);
  const isCut = masked.length > MAX_MESSAGE || message.length > MAX_MESSAGE + longest;
  if (isCut) masked = `${masked.slice(0, MAX_MESSAGE)}…`;
  for (const [pattern, replacement] of patterns) masked = masked.replace(pattern, replacement);
  return masked;
}

/** What a key that is a document says of its account. */
const MEMBERS = ['project_id', 'private_key_id', 'client_email', 'client_id'];

/** The values of a channel that must never appear in a message, each part of a compound key by itself. */
export function secretsOf(channel: { key: string; baseUrl: string; organization: string }): string[] {
  const host = URL.canParse(channel.baseUrl) ? new URL(channel.baseUrl).host : channel.baseUrl;
  const account = channel.key.startsWith('{') ? parseObject(channel.key) : undefined;
  const named = account ? MEMBERS.map((name) => textOf(account[name])) : [];
  return [channel.key, ...channel.key.split('|'), ...named, channel.baseUrl, host, channel.organization].filter(
    Boolean,
  );
}
