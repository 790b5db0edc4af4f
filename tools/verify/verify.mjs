// Verifies an export of Tollgate's journal with nothing but Node: node verify.mjs <folder> <public key, 64 hex digits>
//
// manifest.json   what the export holds: a SHA-256 of each file, the segment of each chain, sums. manifest.sig signs its bytes.
// journal.ndjson  a posting per line. Its last member is "hash" = SHA-256 of (hash of the row before, a newline, the line without "hash").
// seals.ndjson    what the head of a chain was at some minute, signed: {"text":…,"signature":…}; each text names the SHA-256 of
//                 (text, a newline, signature) of the seal before. Every signature is Ed25519 over UTF-8, in hex.
// So nobody can change, remove, add or move a row without the private key, and the signed manifest says where each chain ends.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, givenKey = ''] = process.argv.slice(2);
if (!folder || !/^[0-9a-f]{64}$/i.test(givenKey)) {
  console.error('usage: node verify.mjs <folder> <public key, 64 hex digits>');
  process.exit(64);
}
let faults = 0;
const fault = (text) => {
  faults += 1;
  if (faults <= 100) console.log(`FAULT ${text}`);
};
const sha256 = (text) => createHash('sha256').update(text).digest('hex');
const DER_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const isSigned = (key, bytes, signature) => {
  if (!/^[0-9a-f]{64}$/i.test(key)) return false;
  const der = Buffer.concat([DER_HEAD, Buffer.from(key, 'hex')]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, bytes, publicKey, Buffer.from(signature, 'hex'));
};
/** The JSON object of a text; undefined if it is none, or lacks a member. */
const parsed = (text, ...needed) => {
  try {
    const value = JSON.parse(text);
    return needed.every((name) => Object.hasOwn(value, name)) ? value : undefined;
  } catch {
    return undefined;
  }
};
async function* linesOf(name) {
  // Not readline: it also ends lines at U+2028, which JSON leaves as it is.
  let rest = '';
  for await (const chunk of createReadStream(join(folder, name), 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== '') yield rest;
}

// 1. The manifest is the installation's, and the files are those that it names.
const manifestBytes = readFileSync(join(folder, 'manifest.json'));
const manifest = parsed(manifestBytes, 'files', 'chains', 'keys', 'totals');
if (!manifest) throw new Error('FAULT manifest.json: it is no manifest');
if (!isSigned(givenKey, manifestBytes, readFileSync(join(folder, 'manifest.sig'), 'utf8').trim()))
  fault('manifest.json: its signature is not by the given key, or it was changed after it was signed');
for (const [name, expected] of Object.entries(manifest.files)) {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(join(folder, name))) hash.update(part);
    if (hash.digest('hex') !== expected.sha256) fault(`${name}: it is not the file that was exported`);
  } catch {
    fault(`${name}: it cannot be read`);
  }
}

// 2. The seals of each chain follow each other, and each is signed by a key that the manifest names.
const chains = new Map(
  manifest.chains.map((chain) => [chain.chain, { ...chain, at: chain.first - 1, hash: chain.previousHash }]),
);
const sealed = new Map();
const lastSeal = new Map();
for await (const line of linesOf('seals.ndjson')) {
  const { text, signature } = parsed(line, 'text', 'signature') ?? {};
  const seal = parsed(text, 'chain', 'number', 'position', 'hash', 'keyId');
  if (!seal) {
    fault(`seals.ndjson: ${line.slice(0, 80)} is no seal`);
    continue;
  }
  const name = `seal ${seal.number} of ${seal.chain} (rows up to ${seal.position})`;
  const before = lastSeal.get(seal.chain);
  const key = manifest.keys[seal.keyId];
  if (!key) fault(`${name}: its key ${seal.keyId} is not the installation's`);
  else if (!isSigned(key, Buffer.from(text), signature)) fault(`${name}: its signature is wrong`);
  if (before && seal.number !== before.number + 1)
    fault(`${name}: the seal before it should be ${seal.number - 1} and is ${before.number}`);
  else if (before && seal.previous !== before.sum) fault(`${name}: the seal before it is not the one that it names`);
  sealed.set(`${seal.chain} ${seal.position}`, { name, hash: seal.hash });
  lastSeal.set(seal.chain, { number: seal.number, position: seal.position, sum: sha256(`${text}\n${signature}`) });
}

// 3. Every row is at its place and follows from the one before, up to a hash that was sealed.
const HASH = /,"hash":"([0-9a-f]{64})"\}$/;
let rows = 0;
const units = {};
const compareSeal = (chain, position, hash) => {
  const seal = sealed.get(`${chain} ${position}`);
  if (seal && seal.hash !== hash) fault(`${seal.name}: the rows that it covers are not those that were sealed`);
  sealed.delete(`${chain} ${position}`);
};
for (const { chain, at, hash } of chains.values()) if (at > 0) compareSeal(chain, at, hash);
for await (const line of linesOf('journal.ndjson')) {
  rows += 1;
  const [, hash] = HASH.exec(line) ?? [];
  const row = parsed(line, 'chain', 'position', 'id', 'code');
  if (!Number.isSafeInteger(row?.amount)) {
    fault(`journal.ndjson: line ${rows} is no row`);
    continue;
  }
  units[row.code] = (units[row.code] ?? 0n) + BigInt(row.amount);
  const name = `row ${row.position} of ${row.chain} (posting ${row.id})`;
  const state = chains.get(row.chain);
  if (!state || !hash) fault(`${name}: it belongs to no chain of this export`);
  else if (row.position <= state.at) fault(`${name}: it is there a second time, or behind its place`);
  else {
    if (row.position > state.at + 1)
      fault(`${name}: rows ${state.at + 1} to ${row.position - 1} before it are missing`);
    else if (sha256(`${state.hash}\n${line.replace(HASH, '}')}`) !== hash) fault(`${name}: it was changed, or put in`);
    Object.assign(state, { at: row.position, hash });
    compareSeal(row.chain, row.position, hash);
  }
}

// 4. Nothing is missing at the end, and the sums are those of the manifest.
for (const { chain, at, last } of chains.values()) {
  if (at !== last) fault(`chain ${chain}: it ends at row ${at}, and ${last} were exported`);
  if (lastSeal.get(chain)?.position !== last) fault(`chain ${chain}: the seal of its last row ${last} is missing`);
}
for (const { name } of sealed.values()) fault(`${name}: there is no such row`);
if (rows !== manifest.totals.rows)
  fault(`journal.ndjson: ${rows} rows, and the manifest counts ${manifest.totals.rows}`);
for (const code of new Set([...Object.keys(units), ...Object.keys(manifest.totals.units)]))
  if (String(units[code] ?? 0) !== String(manifest.totals.units[code] ?? 0))
    fault(
      `journal.ndjson: ${code} moves ${units[code] ?? 0} units, and the manifest says ${manifest.totals.units[code] ?? 0}`,
    );

console.log(
  `${rows} rows, ${Object.entries(units)
    .map(([code, sum]) => `${code} ${sum}`)
    .join(', ')}`,
);
console.log(
  faults === 0
    ? `VERIFIED: the journal from ${manifest.from} to ${manifest.to} is as it was sealed.`
    : `NOT VERIFIED: ${faults} faults.`,
);
process.exitCode = faults === 0 ? 0 : 1;
