import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Host, Logger, Metrics } from '@tollgate/chassis';
import { spoolRoot } from './spool-folder.js';

/** The content of a dead-letter file. */
export interface DeadLetter {
  id: string;
  reason: string;
  refusedAt: string;
  /** The bytes that the event log refused. */
  record: string;
}

/**
 * Records that the event log refused for good, one file each, below the spool folder that all relays of this data
 * folder share. They are not booked; they stay until a person has dealt with them, and do not block other records.
 */
@Injectable()
export class DeadLetters {
  private readonly folder: string;

  constructor(
    host: Host,
    private readonly logger: Logger,
    metrics: Metrics,
  ) {
    this.folder = join(spoolRoot(host.dataDir), 'dead-letters');
    metrics.measured(
      'tollgate_relay_dead_letters',
      'Records the event log refused for good, kept as files below the spool.',
      [],
      async () => [{ labels: {}, value: await this.count() }],
    );
  }

  /** Resolves once the file is on disk; a file of the same id is replaced. */
  async keep(id: string, record: string, reason: string): Promise<void> {
    const path = join(this.folder, `${id}.json`);
    const letter: DeadLetter = { id, reason, refusedAt: new Date().toISOString(), record };
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, JSON.stringify(letter), { mode: 0o600, flush: true });
    await rename(`${path}.new`, path);
    this.logger.error('the event log refuses the record of a request for good; it is not booked and lies in a file', {
      requestId: id,
      reason,
      path,
    });
  }

  private async count(): Promise<number> {
    const names = await readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => name.endsWith('.json')).length;
  }
}
