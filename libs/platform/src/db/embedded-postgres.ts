import type { Logger } from '../log/logger.js';

export interface EmbeddedPostgres {
  url: string;
  /** Things a person should know: copied binaries, a moved cluster. */
  notes: string[];
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  dataDir: string;
  log: Logger;
  /** A cluster for tests: nothing is flushed to disk. */
  throwAway?: boolean;
}

export function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return Promise.reject(new Error(`not built: ${options.dataDir}`));
}
