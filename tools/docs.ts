/** Writes the documents that are generated from code; with `--check` it only verifies that they are current. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedDocuments } from './generated-documents.js';

const onlyCheck = process.argv.includes('--check');
const read = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);
const stale = Object.entries(generatedDocuments)
  .map(([file, write]) => ({ file, text: write() }))
  .filter(({ file, text }) => read(file) !== text);

for (const { file, text } of stale) {
  if (!onlyCheck) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  process.stdout.write(onlyCheck ? `${file} is not current: run npm run docs\n` : `wrote ${file}\n`);
}
process.exitCode = onlyCheck && stale.length > 0 ? 1 : 0;
