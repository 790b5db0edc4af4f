import { join } from 'node:path';
import { folderError } from '@tollgate/chassis';
import type { Segment } from './segment-writer.js';
import { SpoolFolder, spoolRoot, usedFolders } from './spool-folder.js';

const MAX_FOLDERS = 1024;

/** The folders of this process: its own, and those of dead processes that it has adopted. */
export class SpoolFolders {
  /** The folder that holds the folders of all relays with this data folder. */
  private readonly root: string;
  private own: SpoolFolder | undefined;
  private readonly adopted = new Set<SpoolFolder>();
  /** Epochs of this process whose records may be in its own folder. */
  private ownEpochs: string[] = [];

  constructor(dataDir: string) {
    this.root = spoolRoot(dataDir);
  }

  get all(): SpoolFolder[] {
    return this.own ? [this.own, ...this.adopted] : [...this.adopted];
  }

  /** Locks a folder for the records of this process. */
  openOwn(): SpoolFolder {
    try {
      this.own = this.takeFirst();
      this.own.noteEpochs(this.ownEpochs);
      return this.own;
    } catch (error) {
      throw folderError(this.root, error);
    }
  }

  /** Locks the used folders that no live process has, each when the caller is done with the one before. */
  *adopt(): Generator<SpoolFolder> {
    const known = new Set(this.all.map(({ path }) => path));
    for (const path of usedFolders(this.root).filter((candidate) => !known.has(candidate))) {
      const folder = SpoolFolder.take(path);
      if (!folder) continue;
      this.adopted.add(folder);
      yield folder;
    }
  }

  /** A folder that could not be read is tried again at the next turn; one whose records are noted already is kept. */
  leaveUnread(folder: SpoolFolder): void {
    if (folder.isRead) return;
    this.adopted.delete(folder);
    folder.release();
  }

  /** Unlocks adopted folders of which nothing is left to do. */
  releaseSpent(): void {
    for (const folder of this.adopted) {
      if (!folder.isSpent) continue;
      this.adopted.delete(folder);
      folder.release();
    }
  }

  /** Deletes a segment's file. */
  remove(segment: Segment): void {
    for (const folder of this.all) if (folder.remove(segment)) return;
  }

  noteEpoch(epoch: string): void {
    this.ownEpochs = [...this.ownEpochs, epoch];
    this.own?.noteEpochs(this.ownEpochs);
  }

  forgetEpochs(gone: ReadonlySet<string>): void {
    for (const folder of this.all) folder.forgetEpochs(gone);
    const left = this.ownEpochs.filter((epoch) => !gone.has(epoch));
    if (left.length === this.ownEpochs.length) return;
    this.ownEpochs = left;
    this.own?.noteEpochs(left);
  }

  /**
   * Takes the first folder that no live process has. Folders of dead processes come before new ones, so that none is
   * left over.
   */
  private takeFirst(): SpoolFolder {
    for (let slot = 0; slot < MAX_FOLDERS; slot += 1) {
      const folder = SpoolFolder.take(join(this.root, String(slot)));
      if (folder) return folder;
    }
    throw new Error(`All ${MAX_FOLDERS} spool folders below ${this.root} are in use.`);
  }
}
