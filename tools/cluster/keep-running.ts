import { BackOff } from './back-off.js';

/** A server that runs as a child process of this one. */
export interface OwnServer {
  readonly pid: number | undefined;
  /** Resolves when the server accepts requests. */
  start(): Promise<void>;
  /** Resolves when the current process of the server has ended. */
  untilEnded(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Restarts a server on the same address and data folder whenever it ends unexpectedly. The returned function stops it
 * for good.
 */
export function keepRunning(name: string, server: OwnServer, onChange: () => void): () => Promise<void> {
  const backOff = new BackOff();
  let stopping = false;
  let timer: NodeJS.Timeout | undefined;
  let reviving: Promise<void> | undefined;

  const watch = (): void => {
    const startedAt = performance.now();
    void server.untilEnded().then(() => {
      onChange();
      if (!stopping) reviveLater(performance.now() - startedAt);
    });
  };
  const reviveLater = (livedMs: number): void => {
    const ms = backOff.after(livedMs);
    process.stderr.write(`${name} ended by itself, starting it again in ${ms / 1000} s\n`);
    timer = setTimeout(() => {
      reviving = revive();
    }, ms);
  };
  const revive = async (): Promise<void> => {
    try {
      await server.start();
      process.stderr.write(`${name} runs again\n`);
      onChange();
      watch();
    } catch (error) {
      process.stderr.write(`${name} did not start: ${(error as Error).message}\n`);
      if (!stopping) reviveLater(0);
    }
  };
  watch();
  return async () => {
    stopping = true;
    clearTimeout(timer);
    await reviving;
    await server.stop();
  };
}
