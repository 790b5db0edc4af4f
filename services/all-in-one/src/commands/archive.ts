import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { TopicReader } from '@tollgate/operations';

/**
 * Writes all records of a topic into a new gzip file, one per line, and returns their number. On a failure the file is
 * removed, because half an archive looks like a complete one.
 */
export async function writeArchive(path: string, topic: string, read: TopicReader): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  const packed = createGzip();
  let fault: unknown;
  const written = pipeline(packed, file.createWriteStream()).catch((error: unknown) => {
    fault ??= error;
  });
  let count = 0;
  try {
    await read(topic, async (records) => {
      for (const { partition, offset, appendedAt, key, value } of records) {
        if (fault !== undefined) throw fault;
        const line = JSON.stringify({ topic, partition, offset: String(offset), appendedAt, key, value });
        if (!packed.write(`${line}\n`)) await Promise.race([once(packed, 'drain'), written]);
        count += 1;
      }
    });
    packed.end();
  } catch (error) {
    fault ??= error;
    packed.destroy();
  }
  await written;
  if (fault === undefined) return count;
  await rm(path, { force: true });
  throw fault;
}
