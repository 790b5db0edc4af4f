import { inFreshContext } from '../context/fresh-context.js';
import type { Logger } from '../log/logger.js';
import type { Lifecycle } from './lifecycle.js';
import { afterInterval } from '../timing/shared-timer.js';

/**
 * Runs a task at most `intervalMs` after the previous run ended (see `afterInterval`), from readiness to drain. Of consecutive failures only
 * the first is logged, and none ends the loop. A run that fails while the service drains is no failure: what it calls may have ended
 * before it. The returned function triggers a run now.
 */
export function periodically(
  { lifecycle, logger }: { lifecycle: Lifecycle; logger: Logger },
  name: string,
  intervalMs: number,
  task: () => Promise<void>,
): () => void {
  let cancel = (): void => undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let failing = false;
  let stopped = false;

  const run = async (): Promise<void> => {
    cancel();
    const startedAt = performance.now();
    try {
      do {
        again = false;
        await task();
      } while (again && !stopped);
      if (failing) logger.info(`${name} works again`);
      failing = false;
    } catch (error) {
      if (stopped) logger.debug(`${name} ended with the service`, { error });
      else if (!failing) logger.warn(`${name} failed, will go on trying`, { error });
      failing = true;
    } finally {
      running = undefined;
      if (!stopped) cancel = afterInterval(start, intervalMs, performance.now() - startedAt);
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
    cancel();
    await running;
  });
  return () => {
    if (!stopped) start();
  };
}
