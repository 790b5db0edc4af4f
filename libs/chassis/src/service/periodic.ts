import { inFreshContext } from '../context/fresh-context.js';
import type { Logger } from '../log/logger.js';
import type { Lifecycle } from './lifecycle.js';

/**
 * Runs a task every `intervalMs` after the previous run ended, from readiness to drain. Of consecutive failures only the first is logged,
 * and none ends the loop. The returned function triggers a run now.
 */
export function periodically(
  { lifecycle, logger }: { lifecycle: Lifecycle; logger: Logger },
  name: string,
  intervalMs: number,
  task: () => Promise<void>,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let failing = false;
  let stopped = false;

  const run = async (): Promise<void> => {
    clearTimeout(timer);
    try {
      do {
        again = false;
        await task();
      } while (again && !stopped);
      if (failing) logger.info(`${name} works again`);
      failing = false;
    } catch (error) {
      if (!failing) logger.warn(`${name} failed, will go on trying`, { error });
      failing = true;
    } finally {
      running = undefined;
      if (!stopped) timer = setTimeout(start, intervalMs);
    }
  };
  const start = (): void => {
    if (running) again = true;
    // A run triggered within a request must not run in that request's context, nor must the runs after it.
    else running = inFreshContext(run);
  };

  lifecycle.onReady(start);
  lifecycle.onDrain(async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  });
  return () => {
    if (!stopped) start();
  };
}
