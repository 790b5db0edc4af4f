import { parseObject, textOf } from '../json/json.js';

/** Longer messages are cut, which bounds the cost of masking. */
const MAX_MESSAGE = 2000;
export const MASK = '***';
/** Values shorter than this are not masked. */
const SHORTEST = 4;

const patterns: readonly [RegExp, string][] = [
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s"'<>()[\]{}|]+/gi, `$1${MASK}`],
  [/\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+\b/g, MASK],
  [/\b(Bearer\s+)[\w.~+/=*-]{8,}/gi, `$1${MASK}`],
  // An ordinary word has no capital, digit or `=` after its first letter; anything else after `Basic` is a credential.
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
  // Host names in network errors, whatever their ending: names looked up or connected to.
  [
    /\b((?:lookup|dial(?: tcp)?:?|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|resolve host:?|to host:?)\s+)(?!tcp\b|lookup\b)(?=[\w.-]*[.\d:-]|[\w-]+ on\b)[\w-]{1,63}(?:\.[\w-]{1,63})*(?::\d{1,5})?(?![\w.])/gi,
    `$1${MASK}`,
  ],
  // A host name with a port.
  [/\b(?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{0,62}:\d{2,5}\b/gi, MASK],
  // Tokens of Baidu contain the id of the application.
  [/\b\d{1,3}\.(?:[0-9a-f]{32}|\*{3})\.\d+\.\d+\.[\d-]+/gi, MASK],
  [/\blocalhost(?::\d{1,5})?\b/gi, MASK],
];

/** Masks a value, ignoring case. Does not use a regular expression, because a value may be too long for one. */
function withoutValue(text: string, value: string): string {
  const [low, sought] = [text.toLowerCase(), value.toLowerCase()];
  // Lower-casing changes the length of a few letters, and indexes would then be wrong.
  if (low.length !== text.length || sought.length !== value.length) return text.replaceAll(value, MASK);
  const pieces: string[] = [];
  let from = 0;
  for (let at = low.indexOf(sought); at !== -1; at = low.indexOf(sought, from)) {
    pieces.push(text.slice(from, at));
    from = at + sought.length;
  }
  return [...pieces, text.slice(from)].join(MASK);
}

/** Values shorter than this are not masked in Base64, because their encoded forms occur in ordinary text. */
const SHORTEST_CODED = 8;
/** The same for values in texts that are passed on for their content. */
const SHORTEST_IN_CONTENT = 8;
const CODED = /[\w+/=-]/;

/**
 * Encoded forms of a value within a longer Base64 text: for each offset in a group of three bytes, in both alphabets, without characters
 * that depend on adjacent bytes.
 */
function codedForms(value: string): string[] {
  const bytes = Buffer.from(value);
  const plain = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)),
  );
  return [...new Set(plain.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]))];
}

/** Masks every Base64 word that contains the form. The whole word is masked, because the rest may be part of a password. */
function withoutCoded(text: string, form: string): string {
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
 * An upstream's message with addresses, keys, accounts and e-mail addresses masked. `known` are values of the channel (key, organisation,
 * host), which are masked whatever they look like.
 */
export function maskSecrets(message: string, known: readonly string[] = []): string {
  const secrets = known.filter(({ length }) => length >= SHORTEST && length <= message.length);
  const coded = secrets.filter(({ length }) => length >= SHORTEST_CODED).flatMap(codedForms);
  // Keep enough text behind the limit that a value across it is found and masked whole.
  const longest = Math.max(0, ...[...secrets, ...coded].map(({ length }) => length));
  let masked = message.slice(0, MAX_MESSAGE + longest);
  for (const form of coded) masked = withoutCoded(masked, form);
  for (const secret of secrets) masked = withoutValue(masked, secret);
  const isCut = masked.length > MAX_MESSAGE || message.length > MAX_MESSAGE + longest;
  if (isCut) masked = `${masked.slice(0, MAX_MESSAGE)}…`;
  for (const [pattern, replacement] of patterns) masked = masked.replace(pattern, replacement);
  return masked;
}

/**
 * Returns a function that masks these values, and nothing else, in texts of any length that are passed on for their content. Short values
 * stay, because they also occur in ordinary words.
 */
export function contentMask(known: readonly string[]): (text: string) => string {
  const secrets = known.filter(({ length }) => length >= SHORTEST_IN_CONTENT);
  const coded = secrets.flatMap(codedForms);
  return (text) => secrets.reduce(withoutValue, coded.reduce(withoutCoded, text));
}

/** Members of a JSON key file that identify its account. */
const MEMBERS = ['project_id', 'private_key_id', 'client_email', 'client_id'];

/** An account at a provider. */
export interface SecretAccount {
  key: string;
  baseUrl: string;
  organization: string;
}

/** The secrets in a key; the parts of a compound one are listed separately too. */
export function secretsOfKey(key: string): string[] {
  const account = key.startsWith('{') ? parseObject(key) : undefined;
  const named = account ? MEMBERS.map((name) => textOf(account[name])) : [];
  return [key, ...key.split('|'), ...named].filter(Boolean);
}

/** Values of a channel that must never appear in a message. */
export function secretsOf({ key, baseUrl, organization }: SecretAccount): string[] {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
  return [...secretsOfKey(key), baseUrl, host, organization].filter(Boolean);
}
