/** How long a step of the start may go on after the wish to stop. One that still goes on waits for a server. */
const GRACE_MS = 2_000;

/**
 * Runs a step of the start, and gives it up when the process should stop. A given-up step ends with the process, maybe
 * midway: what it does is in transactions, or the next start repeats it.
 */
export function unlessStopped<T>(signal: AbortSignal | undefined, step: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error('told to stop before everything was started'));
    if (signal?.aborted) return giveUp();
    const giveUpSoon = (): void => void setTimeout(giveUp, GRACE_MS).unref();
    signal?.addEventListener('abort', giveUpSoon, { once: true });
    step()
      .finally(() => signal?.removeEventListener('abort', giveUpSoon))
      .then(resolve, reject);
  });
}
