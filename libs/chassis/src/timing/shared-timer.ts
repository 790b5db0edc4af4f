import { inFreshContext } from '../context/fresh-context.js';

/** Tasks wait for the same whole second of the process, so that an idle one wakes once a second instead of once per task. */
const STEP_MS = 1000;
/** A task that took this share of its interval is slow; it gets its whole pause, wherever that ends. */
const SLOW_SHARE = 0.25;
/** A timer may fire this early, and a run may be due this late, and still belong to the same second. */
const SLACK_MS = 50;

const steps = new Map<number, { timer: NodeJS.Timeout; runs: Set<() => void> }>();

/** The step of the process at which a task is due again; undefined if it must not be moved to a step. */
function stepOf(intervalMs: number, tookMs: number): number | undefined {
  if (intervalMs < STEP_MS || tookMs > intervalMs * SLOW_SHARE) return undefined;
  return Math.floor((performance.now() + intervalMs + SLACK_MS) / STEP_MS);
}

/**
 * Calls `run` after at most `intervalMs`, together with all others that are due in the same second of the process. Shorter intervals than a
 * second and slow tasks get timers of their own. `tookMs` is the duration of the task that now pauses. The returned function cancels it.
 */
export function afterInterval(run: () => void, intervalMs: number, tookMs = 0): () => void {
  const step = stepOf(intervalMs, tookMs);
  if (step === undefined) {
    const timer = setTimeout(run, intervalMs);
    return () => clearTimeout(timer);
  }
  const shared = steps.get(step) ?? openStep(step);
  // A function of its own, because the same one may be waiting twice.
  const entry = (): void => run();
  shared.runs.add(entry);
  return () => {
    shared.runs.delete(entry);
    if (shared.runs.size === 0) closeStep(step, shared);
  };
}

type Step = NonNullable<ReturnType<typeof steps.get>>;

function openStep(step: number): Step {
  const fire = (): void => runStep(step, shared);
  const shared: Step = { timer: inFreshContext(() => setTimeout(fire, waitFor(step))), runs: new Set() };
  steps.set(step, shared);
  return shared;
}

const waitFor = (step: number): number => Math.ceil(step * STEP_MS - performance.now());

function closeStep(step: number, shared: Step): void {
  clearTimeout(shared.timer);
  if (steps.get(step) === shared) steps.delete(step);
}

function runStep(step: number, shared: Step): void {
  closeStep(step, shared);
  for (const run of shared.runs) {
    try {
      run();
    } catch (error) {
      // Reported like an error of a timer of its own; the others still run.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

/** Resolves after at most `intervalMs` as `afterInterval` does, or as soon as the signal is aborted. */
export function intervalOver(intervalMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = (): void => {
      cancel();
      signal.removeEventListener('abort', over);
      resolve();
    };
    const cancel = afterInterval(over, intervalMs);
    signal.addEventListener('abort', over);
  });
}
