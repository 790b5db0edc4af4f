import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { v7 as uuidv7 } from 'uuid';
import { type ExportReport, exportJournal } from '../src/seal/journal-export.js';
import { openSigningKey } from '../src/seal/signing-key.js';
import { corruptions, stranger } from './export-corruptions.js';
import type { SealWorld } from './seal-world.js';

const NOT_IN_FIRST_TEXTS = { model: null, group: null, channelId: null, eventPartition: null, eventOffset: null };

/** The files of an exported journal, and the two programs that verify them without Tollgate. */
export function describeExport(world: SealWorld): void {
  describe('its export', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-journal-'));
    const whole = join(folder, 'whole');
    const VERIFY = resolve(import.meta.dirname, '../../../tools/verify');
    let publicKey = '';
    let report: ExportReport;

    const verdict = (at: string, program: 'node' | 'python3', key = publicKey): { ok: boolean; text: string } => {
      const file = join(VERIFY, program === 'node' ? 'verify.mjs' : 'verify.py');
      const { status, stdout, stderr } = spawnSync(program, [file, at, key], { encoding: 'utf8' });
      return { ok: status === 0, text: stdout + stderr };
    };
    const signingKey = async () => {
      const [row] = await world.query<{ private_sealed: string; public_key: string }>('select * from seal_key');
      publicKey = row?.public_key ?? '';
      return openSigningKey(world.billing.harness.host.secrets, row?.private_sealed ?? '');
    };

    beforeAll(async () => {
      await world.post(world.client, 11);
      await world.sealAll();
      await world.post(world.client, 12);
      await world.sealAll();
      report = await exportJournal({
        query: world.query,
        folder: whole,
        from: 0,
        to: Date.now() + 1000,
        key: await signingKey(),
      });
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('is verified by both programs, which are short and have no dependencies', () => {
      for (const [program, file] of [
        ['node', 'verify.mjs'],
        ['python3', 'verify.py'],
      ] as const) {
        expect(verdict(whole, program).text).toContain('VERIFIED: the journal');
        const text = readFileSync(join(VERIFY, file), 'utf8');
        expect(text.trimEnd().split('\n').length).toBeLessThan(150);
        expect([...text.matchAll(/from '([^']+)'/g)].every(([, name]) => name?.startsWith('node:'))).toBe(true);
      }
      execFileSync('python3', [join(VERIFY, 'verify.py'), whole, publicKey, '--all']);
    });

    it('has the same rows as Parquet', async () => {
      const lines = readFileSync(join(whole, 'journal.ndjson'), 'utf8')
        .trim()
        .split('\n')
        // Rows that were hashed before these members were part of the text do not have them.
        .map((line) => ({ ...NOT_IN_FIRST_TEXTS, ...(JSON.parse(line) as { position: number; amount: number }) }));
      const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(whole, 'journal.parquet')) });
      expect(lines).toHaveLength(report.rows);
      expect(rows.map((row) => ({ ...row, position: Number(row['position']), amount: Number(row['amount']) }))).toEqual(
        lines,
      );
    });

    it('contains a part of the chains for a part of the time, which is verified too', async () => {
      const part = join(folder, 'part');
      const now = Date.now();
      const last = uuidv7({ msecs: now });
      await world.post(world.client, 77, last);
      await world.sealAll();
      const { rows } = await exportJournal({
        query: world.query,
        folder: part,
        from: now,
        to: now + 1,
        key: await signingKey(),
      });
      expect(rows).toBeLessThan(report.rows);
      expect(readFileSync(join(part, 'journal.ndjson'), 'utf8')).toContain(last);
      for (const program of ['node', 'python3'] as const)
        expect(verdict(part, program).text).toContain('VERIFIED: the journal');
      await expect(
        exportJournal({ query: world.query, folder: part, from: 0, to: 1, key: await signingKey() }),
      ).rejects.toThrow(/not empty/);
    });

    it.each(corruptions)('does not pass with %s', (kind, file, edit, named) => {
      const spoilt = join(folder, kind.replaceAll(' ', '-'));
      cpSync(whole, spoilt, { recursive: true });
      const lines = readFileSync(join(whole, file), 'utf8').trimEnd().split('\n');
      const edited = edit(lines);
      expect(edited).not.toEqual(lines);
      writeFileSync(join(spoilt, file), `${edited.join('\n')}\n`);
      for (const program of ['node', 'python3'] as const) {
        const { ok, text } = verdict(spoilt, program);
        expect({ ok, text }).toEqual({ ok: false, text: expect.stringMatching(named) });
      }
    });

    it('is not verified by another public key', () => {
      for (const program of ['node', 'python3'] as const)
        expect(verdict(whole, program, stranger.publicKey).text).toContain('not by the given key');
    });
  });
}
