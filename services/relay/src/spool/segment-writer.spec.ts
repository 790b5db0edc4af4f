import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
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
  /** Replaces the next write, on whichever thread. */
  let failing: ((handle: FileHandle, bytes: Buffer) => void) | undefined;

  /** Replaces a write on this thread. Which thread writes depends on the speed of the disk. */
  let failingHere: ((handle: FileHandle, bytes: Buffer) => void) | undefined;

  const writeAnywhere = (handle: FileHandle, bytes: Buffer): void => {
    const fail = failing;
    failing = undefined;
    if (fail) fail(handle, bytes);
    else writeSync(handle.fd, bytes);
  };
  const write = (handle: FileHandle, bytes: Buffer): void => {
    const fail = failingHere;
    failingHere = undefined;
    if (fail) fail(handle, bytes);
    else writeAnywhere(handle, bytes);
  };
  const writeAside = async (handle: FileHandle, bytes: Buffer): Promise<void> => writeAnywhere(handle, bytes);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'segment-writer-'));
    sealed = [];
    failing = failingHere = undefined;
    const listener = { opened: () => undefined, sealed: (segment: Segment) => sealed.push(segment) };
    writer = new SegmentWriter(folder, 1, listener, { segmentBytes: 100, write, writeAside });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await writer.close();
    rmSync(folder, { recursive: true });
  });

  /** Lets the disk take half of the next batch and then be full. */
  function failNextWrite(): void {
    failing = (handle, bytes) => {
      writeSync(handle.fd, bytes, 0, bytes.length >> 1);
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
  }

  it('returns the location of each frame, over several segments', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `record ${index} of twelve`);
    const locations = [];
    for (const text of texts) locations.push(await writer.append(frame(text)));
    expect(await readPayloads(locations)).toEqual(texts);
    const used = new Set(locations.map(({ segment }) => segment.path)).size;
    expect(used).toBeGreaterThan(2);
    await writer.close();
    expect(new Set(sealed.map(({ path }) => path)).size).toBe(used);
  });

  it('removes a failed write, and continues after the last good one', async () => {
    await writer.append(frame('good'));
    failNextWrite();
    const lost = [writer.append(frame('lost')), writer.append(frame('lost with it'))];
    const next = lost[0]?.catch(() => writer.append(frame('next batch')));
    const outcomes = await Promise.allSettled([...lost, next]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    const { segment } = await writer.append(frame('after'));
    expect(decodeFrames(readFileSync(segment.path)).frames.map(({ payload }) => payload)).toEqual([
      'good',
      'next batch',
      'after',
    ]);
  });

  it('writes all frames of one turn in one call', async () => {
    const sizes: number[] = [];
    failing = (handle, bytes) => void sizes.push(writeSync(handle.fd, bytes));
    const locations = await Promise.all(['one', 'two', 'three'].map((text) => writer.append(frame(text))));
    expect(sizes).toEqual([locations.reduce((sum, { size }) => sum + size, 0)]);
    expect(await readPayloads(locations)).toEqual(['one', 'two', 'three']);
  });

  it('writes through another thread after the disk has blocked', async () => {
    failingHere = ({ fd }, bytes) => {
      writeSync(fd, bytes);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 80);
    };
    await writer.append(frame('slow'));
    failingHere = () => {
      throw new Error('written by this thread');
    };
    expect(await readPayloads([await writer.append(frame('after'))])).toEqual(['after']);
  });

  /** Blocks all flushes until `letGo` is called. */
  async function holdUpDisk(): Promise<{ hasBegun: Promise<void>; letGo(): void }> {
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const disk = jest.spyOn(await handlePrototype(), 'datasync');
    const hasBegun = new Promise<void>((resolve) => {
      disk.mockImplementation(() => {
        resolve();
        return held;
      });
    });
    return { hasBegun, letGo };
  }

  it('writes through another thread during a flush', async () => {
    const disk = await holdUpDisk();
    await writer.append(frame('before'));
    await disk.hasBegun;
    failingHere = () => {
      throw new Error('written by this thread');
    };
    const during = await writer.append(frame('during'));
    expect(await readPayloads([during])).toEqual(['during']);
    disk.letGo();
  });

  it('continues in the next segment before the previous one is flushed', async () => {
    const disk = await holdUpDisk();
    const texts = ['x'.repeat(200), 'next', 'and next'];
    const locations = [await writer.append(frame('x'.repeat(200)))];
    // The flush of the previous segment is in progress; a write on this thread could be blocked by it.
    failingHere = () => {
      throw new Error('written by this thread');
    };
    for (const text of texts.slice(1)) locations.push(await writer.append(frame(text)));
    expect(await readPayloads(locations)).toEqual(texts);
    expect([locations[0]?.segment.path === locations[1]?.segment.path, sealed]).toEqual([false, []]);
    disk.letGo();
    await writer.close();
    expect(sealed).toHaveLength(2);
  });

  it('opens a new segment when the failed one cannot be repaired', async () => {
    const { segment } = await writer.append(frame('good'));
    failNextWrite();
    jest.spyOn(await handlePrototype(), 'truncate').mockRejectedValueOnce(new Error('input/output error'));
    await expect(writer.append(frame('lost'))).rejects.toThrow('no space');
    const after = await writer.append(frame('after'));
    expect(after.segment.path).not.toBe(segment.path);
    expect(await readPayloads([after])).toEqual(['after']);
    expect(decodeFrames(readFileSync(segment.path)).frames.map(({ payload }) => payload)).toEqual(['good']);
  });

  it('continues after a segment could not be opened', async () => {
    await writer.append(frame('x'.repeat(200)));
    rmSync(folder, { recursive: true });
    await expect(writer.append(frame('lost'))).rejects.toMatchObject({ code: 'ENOENT' });
    mkdirSync(folder);
    expect(await readPayloads([await writer.append(frame('after'))])).toEqual(['after']);
  });

  it('refuses frames after it was closed', async () => {
    await writer.append(frame('last'));
    await writer.close();
    await expect(writer.append(frame('too late'))).rejects.toThrow('closed');
  });
});
