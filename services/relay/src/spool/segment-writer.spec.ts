import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { decodeFrames, encodeFrame, FrameKind } from './frames.js';
import { readPayloads, type Segment, SegmentWriter } from './segment-writer.js';

const frame = (text: string): Buffer => encodeFrame(FrameKind.close, text);

async function handlePrototype(): Promise<FileHandle> {
  const handle = await open(import.meta.filename, 'r');
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

describe('SegmentWriter', () => {
  let folder: string;
  let sealed: Segment[];
  let writer: SegmentWriter;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'segment-writer-'));
    sealed = [];
    writer = new SegmentWriter(folder, 1, { opened: () => undefined, sealed: (segment) => sealed.push(segment) }, 100);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await writer.close();
    rmSync(folder, { recursive: true });
  });

  /** The disk takes half of the next batch and then has no room. */
  async function failNextWrite(): Promise<void> {
    const prototype = await handlePrototype();
    const append = prototype.appendFile;
    jest.spyOn(prototype, 'appendFile').mockImplementationOnce(async function (this: FileHandle, data) {
      const bytes = data as Buffer;
      await append.call(this, bytes.subarray(0, bytes.length >> 1));
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    });
  }

  it('says where each frame lies, over several segments', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `record ${index} of twelve`);
    const places = [];
    for (const text of texts) places.push(await writer.append(frame(text)));
    expect(await readPayloads(places)).toEqual(texts);
    expect(new Set(places.map(({ segment }) => segment.path)).size).toBe(sealed.length + 1);
    expect(sealed.length).toBeGreaterThan(1);
  });

  it('leaves nothing of a write that failed, and goes on behind what was good', async () => {
    await writer.append(frame('good'));
    await failNextWrite();
    const outcomes = await Promise.allSettled([writer.append(frame('lost')), writer.append(frame('next batch'))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    const { segment } = await writer.append(frame('after'));
    expect(decodeFrames(readFileSync(segment.path)).frames.map(({ payload }) => payload)).toEqual([
      'good',
      'next batch',
      'after',
    ]);
  });

  it('goes to a new segment when the failed one cannot be repaired', async () => {
    const { segment } = await writer.append(frame('good'));
    await failNextWrite();
    jest.spyOn(await handlePrototype(), 'truncate').mockRejectedValueOnce(new Error('input/output error'));
    await expect(writer.append(frame('lost'))).rejects.toThrow('no space');
    const after = await writer.append(frame('after'));
    expect(after.segment.path).not.toBe(segment.path);
    expect(await readPayloads([after])).toEqual(['after']);
    expect(decodeFrames(readFileSync(segment.path)).frames.map(({ payload }) => payload)).toEqual(['good']);
  });

  it('goes on after a segment could not be opened', async () => {
    await writer.append(frame('x'.repeat(200)));
    rmSync(folder, { recursive: true });
    await expect(writer.append(frame('lost'))).rejects.toMatchObject({ code: 'ENOENT' });
    mkdirSync(folder);
    expect(await readPayloads([await writer.append(frame('after'))])).toEqual(['after']);
  });

  it('takes nothing after it was closed', async () => {
    await writer.append(frame('last'));
    await writer.close();
    await expect(writer.append(frame('too late'))).rejects.toThrow('closed');
  });
});
