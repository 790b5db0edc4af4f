import { SecretBox } from '@tollgate/chassis';
import { FIRST, linkHash } from '../src/seal/chain-text.js';
import { makeSigningKey, openSigningKey } from '../src/seal/signing-key.js';

/** Changes the lines of a file of the export. */
type Edit = (lines: string[]) => string[];
const at =
  (index: number, change: (line: string) => string): Edit =>
  (lines) =>
    lines.map((line, nth) => (nth === index ? change(line) : line));

/** A signing key of another installation. */
export const stranger = openSigningKey(
  new SecretBox('x'.repeat(32)),
  makeSigningKey(new SecretBox('x'.repeat(32))).privateSealed,
);

const resigned = (line: string): string => {
  const { text } = JSON.parse(line) as { text: string };
  return JSON.stringify({ text, signature: stranger.sign(text) });
};

/** Recomputes the hashes, as an attacker could who knows the format but has no private key. */
function rechained(lines: readonly string[]): string[] {
  const heads = new Map<string, string>();
  return lines.map((line) => {
    const { chain } = JSON.parse(line) as { chain: string };
    const text = line.replace(/,"hash":"[0-9a-f]{64}"\}$/, '}');
    const hash = linkHash(heads.get(chain) ?? FIRST, text);
    heads.set(chain, hash);
    return `${text.slice(0, -1)},"hash":"${hash}"}`;
  });
}

/** Corruptions of an export, and what the verifying programs must report for each. */
export const corruptions: [kind: string, file: string, edit: Edit, named: RegExp][] = [
  [
    'an amount changed',
    'journal.ndjson',
    at(7, (line) => line.replace(/"amount":\d+/, '"amount":424242')),
    /row \d+ of \S+ \(posting \S+\): it was changed, or put in/,
  ],
  ['a row removed', 'journal.ndjson', (lines) => lines.toSpliced(5, 1), /rows 6 to 6 before it are missing/],
  [
    'a row put in',
    'journal.ndjson',
    (lines) =>
      lines.toSpliced(5, 0, (lines[4] ?? '').replace(/"id":"[^"]+"/, '"id":"01900000-0000-7000-8000-000000000009"')),
    /posting 01900000-0000-7000-8000-000000000009\): it is there a second time, or behind its place/,
  ],
  [
    'two rows exchanged',
    'journal.ndjson',
    (lines) => [...lines.slice(0, 3), lines[4] ?? '', lines[3] ?? '', ...lines.slice(5)],
    /row 4 of .*behind its place/,
  ],
  ['the end cut off', 'journal.ndjson', (lines) => lines.slice(0, -2), /it ends at row \d+, and \d+ were exported/],
  ['the beginning cut off', 'journal.ndjson', (lines) => lines.slice(1), /rows 1 to 1 before it are missing/],
  [
    'a row moved to another month',
    'journal.ndjson',
    at(2, (line) => line.replace(/"chain":"[^"]+"/, '"chain":"2001-01"')),
    /of 2001-01 .*belongs to no chain/,
  ],
  [
    'a hash changed',
    'journal.ndjson',
    at(6, (line) => line.replace(/"hash":"(.)/, (_, digit) => `"hash":"${digit === '0' ? '1' : '0'}`)),
    /row 7 of .*changed, or put in/,
  ],
  [
    'a chain made anew',
    'journal.ndjson',
    (lines) => rechained(at(3, (line) => line.replace(/"userId":\d+/, '"userId":99'))(lines)),
    /the rows that it covers are not those that were sealed/,
  ],
  ['a seal removed', 'seals.ndjson', (lines) => lines.toSpliced(-2, 1), /the seal before it should be/],
  ['a seal changed', 'seals.ndjson', at(2, (line) => line.replace(/T\d\d:/, 'T25:')), /seal \d+ of/],
  [
    'a seal of another key',
    'seals.ndjson',
    (lines) => lines.map((line, nth) => (nth === lines.length - 1 ? resigned(line) : line)),
    /its signature is wrong/,
  ],
  ['a seal that is none', 'seals.ndjson', at(1, () => '{"text":"no JSON"}'), /seals.ndjson: .*no JSON.* is no seal/],
  ['a row that is none', 'journal.ndjson', at(1, () => '{"code":"consumption"}'), /line 2 is no row/],
  ['a manifest that is none', 'manifest.json', () => ['no JSON'], /manifest.json: it is no manifest/],
  [
    'the manifest changed',
    'manifest.json',
    (lines) => lines.map((line) => line.replace(/"rows": \d+/, '"rows": 3')),
    /manifest.json: its signature/,
  ],
];
