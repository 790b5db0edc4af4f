import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoredRecord } from '@tollgate/chassis';
import { writeArchive } from './archive.js';
import type { Installation } from './installation.js';
import { recordsOf } from './records.js';

const record = (offset: number): StoredRecord => ({
  ...{ partition: 1, offset: BigInt(offset), appendedAt: 5 },
  ...{ key: '7', value: JSON.stringify({ text: 'x'.repeat(20_000) }) },
});

describe('an archive of events', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'an archive of '));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('holds each record as it lay in the log', async () => {
    const path = join(folder, 'events of today.ndjson.gz');
    const batches = [[record(0), record(1)], [record(2)]];
    const count = await writeArchive(path, 'request-consumed', async (_topic, handle) => {
      for (const batch of batches) await handle(batch);
    });
    const lines = gunzipSync(readFileSync(path)).toString().trim().split('\n');
    expect(count).toBe(3);
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(
      batches.flat().map((one) => ({ ...one, topic: 'request-consumed', offset: String(one.offset) })),
    );
  });

  it('is not there when the log could not be read to its end, so that it can be made again under the same name', async () => {
    const path = join(folder, 'events.gz');
    const broken = writeArchive(path, 'request-consumed', async (_topic, handle) => {
      for (let offset = 0; offset < 50; offset += 1) await handle([record(offset)]);
      throw new Error('no broker answers');
    });
    await expect(broken).rejects.toThrow('no broker answers');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('never takes the place of another file', async () => {
    const path = join(folder, 'events.gz');
    writeFileSync(path, 'of yesterday');
    await expect(writeArchive(path, 'request-consumed', () => Promise.resolve())).rejects.toThrow('EEXIST');
    expect(readFileSync(path, 'utf8')).toBe('of yesterday');
  });

  const read = (path: string): Promise<void> =>
    recordsOf({} as Installation, path)('request-consumed', () => Promise.resolve());

  it('that does not exist, or is something else, is refused with its name and line', async () => {
    const path = join(folder, 'events.gz');
    await expect(read(path)).rejects.toThrow(`no such file or directory, open '${path}'`);
    writeFileSync(path, 'not packed');
    await expect(read(path)).rejects.toThrow('incorrect header check');
    const good = JSON.stringify({ topic: 'another', value: '{}' });
    for (const line of ['no JSON', '{"topic":1}', 'null']) {
      writeFileSync(path, gzipSync(`${good}\n${line}\n`));
      await expect(read(path)).rejects.toMatchObject({ code: 'archive-unreadable' });
      await expect(read(path)).rejects.toThrow(`${path}, line 2: this is no archive of events.`);
    }
  });
});
