import { readEnv } from '../config/env.js';
import type { ServiceDefinition } from './define-service.js';
import { listen } from './listener.js';
import { type RunningProcess, startProcess } from './process.js';

const SAME_WISH_MS = 1000;

interface RunOptions {
  /** Which of the services listens. */
  front: string;
  /** Called once the port is open. */
  onListening?(process: RunningProcess, port: number): void;
}

/**
 * A process from environment to exit code. The first SIGTERM or SIGINT drains: no new connection, open requests finish, events
 * and duties stop, the embedded database last. A second signal ends at once; the next start recovers.
 */
export async function runProcess(
  definitions: readonly ServiceDefinition[],
  { front, onListening }: RunOptions,
): Promise<void> {
  let firstSignalAt: number | undefined;
  let stop: (() => Promise<void>) | undefined;
  const onSignal = (): void => {
    const now = performance.now();
    // A supervisor that signals the whole group reaches us directly and through whoever started us: that is one wish, not two.
    if (firstSignalAt !== undefined && now - firstSignalAt > SAME_WISH_MS) process.exit(1);
    if (firstSignalAt !== undefined) return;
    firstSignalAt = now;
    if (stop) void stop().then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  try {
    const env = readEnv();
    const running = await startProcess(definitions, env);
    const service = running.services.get(front);
    if (!service) throw new Error(`No service "${front}" in this process.`);
    const listener = await listen(service.app, env.HOST, env.PORT).catch(async (error: unknown) => {
      await running.stop();
      throw addressError(error, env.PORT);
    });
    stop = async () => {
      const cut = await listener.drain(env.TOLLGATE_DRAIN_SECONDS);
      if (cut > 0) running.host.logger.warn('requests were cut when the drain time was over', { cut });
      await running.stop();
    };
    if (firstSignalAt !== undefined) {
      await stop();
      process.exit(0);
    }
    onListening?.(running, listener.port);
  } catch (error) {
    fail(error);
  }
}

function addressError(error: unknown, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} is taken. Stop what listens there or set PORT to another one.`);
  if (code === 'EACCES') return new Error(`Port ${port} may not be opened by this user. Set PORT to one above 1023.`);
  return error;
}

function fail(error: unknown): void {
  process.stderr.write(`Tollgate could not go on: ${error instanceof Error ? error.message : String(error)}\n`);
  if (process.env.LOG_LEVEL === 'debug' && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`);
  process.exit(1);
}
