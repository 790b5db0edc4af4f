import type { Logger } from '../log/logger.js';

export interface LeaderOptions {
  url: string;
  /** Who competes: processes with the same name on the same database. */
  name: string;
  log: Logger;
  onElected?: () => void;
  onLost?: () => void;
}

/** One of all processes with the same name, by a session advisory lock on a connection of its own. */
export class Leader {
  constructor(private readonly options: LeaderOptions) {}

  isLeader = false;

  start(): Promise<void> {
    return Promise.reject(new Error(`not built: ${this.options.name}`));
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
