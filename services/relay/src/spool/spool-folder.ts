import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderLock, lockFolder } from './folder-lock.js';
import type { Segment } from './segment-writer.js';

const SEGMENT_FILE = /^(\d{8})\.seg$/;
/**
 * File with the lease epochs, one per line, whose records may be in the folder. Their leases end once all those records
 * are in the event log.
 */
const EPOCHS_FILE = 'epochs';

/** A folder of segments that this process has locked: its own, or one that a dead process left. */
export class SpoolFolder {
  /** Segments with records that may not be booked yet. */
  readonly segments = new Set<Segment>();
  /** Ids of recovered records that are not in the event log yet. */
  readonly awaited = new Set<string>();
  /** Set once all records of the dead process are noted; until then `awaited` says nothing. */
  isRead = false;
  /** Epochs of the dead process. */
  pastEpochs: string[];
  /** One more than the number of the last segment. */
  readonly nextNumber: number;
  private ownEpochs: readonly string[] = [];

  private constructor(
    readonly path: string,
    private readonly lock: FolderLock,
  ) {
    const files = segmentFiles(path);
    for (const file of files)
      this.segments.add({ path: file.path, bytes: statSync(file.path).size, sealed: true, records: 0 });
    this.nextNumber = (files.at(-1)?.number ?? 0) + 1;
    this.pastEpochs = epochsIn(path);
  }

  /** Locks the folder; `undefined` while another live process has it. */
  static take(path: string): SpoolFolder | undefined {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const lock = lockFolder(path);
    return lock && new SpoolFolder(path, lock);
  }

  /** Reads the segments in order, with one file in memory at a time. */
  async *read(): AsyncGenerator<{ segment: Segment; bytes: Buffer }> {
    for (const segment of this.segments) yield { segment, bytes: await readFile(segment.path) };
  }

  /** Deletes a segment's file; false when the segment is not in this folder. */
  remove(segment: Segment): boolean {
    if (!this.segments.delete(segment)) return false;
    rmSync(segment.path, { force: true });
    return true;
  }

  noteEpochs(epochs: readonly string[]): void {
    this.ownEpochs = epochs;
    this.writeEpochs();
  }

  forgetEpochs(epochs: ReadonlySet<string>): void {
    const left = this.pastEpochs.filter((epoch) => !epochs.has(epoch));
    if (left.length === this.pastEpochs.length) return;
    this.pastEpochs = left;
    this.writeEpochs();
  }

  /** Whether everything that the dead process left is done. */
  get isSpent(): boolean {
    return this.segments.size === 0 && this.pastEpochs.length === 0;
  }

  release(): void {
    this.lock.release();
  }

  private writeEpochs(): void {
    const path = join(this.path, EPOCHS_FILE);
    const epochs = [...this.pastEpochs, ...this.ownEpochs];
    if (epochs.length === 0) return rmSync(path, { force: true });
    writeFileSync(`${path}.new`, epochs.join('\n'), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

/** The folder that holds the folders of all relays that share a data folder. */
export const spoolRoot = (dataDir: string): string => join(dataDir, 'spool');

/** Folders that contain segments or epochs, of live or dead processes. */
export function usedFolders(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isDirectory() && (segmentFiles(path).length > 0 || epochsIn(path).length > 0));
}

function epochsIn(folder: string): string[] {
  const path = join(folder, EPOCHS_FILE);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

function segmentFiles(folder: string): { path: string; number: number }[] {
  return readdirSync(folder)
    .map((name) => ({ path: join(folder, name), number: Number(SEGMENT_FILE.exec(name)?.[1] ?? Number.NaN) }))
    .filter(({ number }) => Number.isInteger(number))
    .sort((one, other) => one.number - other.number);
}

/** Whether a relay that used this data folder left requests behind that may not be booked. */
export const hasUnbooked = (dataDir: string): boolean => {
  const root = spoolRoot(dataDir);
  return usedFolders(root).some((path) => segmentFiles(path).some((file) => statSync(file.path).size > 0));
};
