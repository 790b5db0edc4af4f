import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import { Lifecycle, Logger } from '@tollgate/chassis';
import type { Count, Question } from './count-tokens.worker.js';
import { FairQueue } from './fair-queue.js';
import { BETWEEN_TEXTS } from './separate-texts.js';
import { SpareTurns } from './spare-turns.js';

const MAX_CHARACTERS = 256 * 1024;
/** Time limit of one job, in milliseconds; then the next user's job runs. */
const TURN_MS = 1000;
/**
 * A worker that does not reply within this time is terminated. The first job of a vocabulary loads it, which takes a
 * while on a busy machine.
 */
const WORKER_MS = 5000;
/** A request that waits longer than this for its turn gets the estimate. */
const PATIENCE_MS = 5000;
const MAX_WAITING = 512;
const MAX_WAITING_PER_USER = 32;
const NOBODY = 0;
/** Megabytes of a worker's young generation: it counts one piece at a time, so it has few young objects. */
const YOUNG = { maxYoungGenerationSizeMb: 4 };
/** The worker lies beside this file: as a source, compiled, or as one more file of the bundle. */
const WORKER = new URL(`./count-tokens.worker${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Estimate without a tokenizer: one token per three bytes, which is close for mixed Chinese and English text. */
export const roughTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

interface Job {
  text: string;
  model: string;
  finish(count: Omit<Count, 'id'>): void;
  isDone: boolean;
}

const nothing = { tokens: 0, read: 0 };

/**
 * Counts tokens off the event loop, only for requests whose upstream stated no plausible usage. No user can monopolize
 * the worker: one job runs at a time, users take turns, and each job is short.
 */
@Injectable()
export class TokenCounter {
  private worker: Worker | undefined;
  private nextId = 1;
  private readonly queue = new FairQueue<Job>(MAX_WAITING, MAX_WAITING_PER_USER);
  private readonly spare = new SpareTurns(() => this.running === undefined);
  private running: { id: number; job: Job; timer: NodeJS.Timeout } | undefined;

  constructor(
    private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(async () => {
      await this.worker?.terminate();
    });
  }

  /** Never fails: text that is not counted in time is estimated. */
  async count(text: string, model: string, userId: number): Promise<number> {
    if (text === '') return 0;
    const { tokens, read } = await this.enqueue(text.slice(0, MAX_CHARACTERS), model, userId);
    return tokens + roughTokens(text.slice(read));
  }

  /**
   * Counts the tokens of some texts for figures that are only used if the process dies, once the worker is idle and
   * those that asked before have been served; the texts are read then. `undefined` when they could not be counted. The
   * rest of a text that is too long is assumed to be like its beginning.
   */
  countAside(read: () => readonly string[], model: string): Promise<number[] | undefined> {
    return new Promise((resolve, reject) => {
      this.spare.ask(() => {
        this.countNow(read, model).then(resolve, reject);
      });
    });
  }

  private async countNow(read: () => readonly string[], model: string): Promise<number[] | undefined> {
    const texts = read();
    const counts = await Promise.all(
      texts.map((text) => (text === '' ? nothing : this.enqueue(text.slice(0, MAX_CHARACTERS), model, NOBODY))),
    );
    const isCounted = counts.every(({ read }, index) => read > 0 || texts[index] === '');
    if (!isCounted) return undefined;
    return counts.map(({ tokens, read }, index) =>
      Math.ceil((tokens * (texts[index] ?? '').length) / Math.max(read, 1)),
    );
  }

  private enqueue(text: string, model: string, userId: number): Promise<Omit<Count, 'id'>> {
    return new Promise((resolve) => {
      const job: Job = {
        text,
        model,
        isDone: false,
        finish: (count) => {
          job.isDone = true;
          clearTimeout(patience);
          resolve(count);
        },
      };
      const patience = setTimeout(() => job.finish(nothing), PATIENCE_MS);
      if (!this.queue.add(userId, job)) return job.finish(nothing);
      this.takeTurn();
    });
  }

  private takeTurn(): void {
    if (this.running) return;
    let job = this.queue.next();
    while (job?.isDone) job = this.queue.next();
    if (!job) return;
    const id = this.nextId++;
    const timer = setTimeout(() => this.restart('did not answer'), WORKER_MS);
    this.running = { id, job, timer };
    const { text, model } = job;
    this.started().postMessage({ id, text, between: BETWEEN_TEXTS, model, ms: TURN_MS } satisfies Question);
  }

  private ended(id: number, count: Omit<Count, 'id'>): void {
    const { running } = this;
    if (running?.id !== id) return;
    clearTimeout(running.timer);
    this.running = undefined;
    running.job.finish(count);
    this.takeTurn();
    this.spare.offer();
  }

  private restart(reason: string, error?: unknown): void {
    this.logger.warn('the token counter was ended; it begins anew', { reason, error });
    const { worker, running } = this;
    this.worker = undefined;
    void worker?.terminate();
    if (running) this.ended(running.id, nothing);
  }

  private started(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(WORKER, { resourceLimits: YOUNG });
    worker.unref();
    worker.on('message', ({ id, ...count }: Count) => this.ended(id, count));
    worker.on('error', (error) => {
      if (this.worker === worker) this.restart('failed', error);
    });
    this.worker = worker;
    return worker;
  }
}
