import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import { Lifecycle, Logger } from '@tollgate/platform';

const MAX_CHARACTERS = 1024 * 1024;
const TIMEOUT_MS = 5000;
/** Compiled beside this file, or run as it is by a Node that strips types. */
const WORKER = new URL(`./count-tokens.worker${import.meta.filename.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Without a tokenizer: one token per three bytes, which is near the mark for mixed Chinese and English text. */
export const roughTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 3);

/** Counts tokens off the event loop, only for requests whose upstream said nothing about usage. */
@Injectable()
export class TokenCounter {
  private worker: Worker | undefined;
  private nextId = 1;
  private readonly waiting = new Map<number, (tokens: number | undefined) => void>();

  constructor(
    private readonly logger: Logger,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onDrain(async () => {
      await this.worker?.terminate();
    });
  }

  /** Never fails: a counter that does not answer in time gives the rough figure. */
  async count(text: string, model: string): Promise<number> {
    if (text === '') return 0;
    const counted = text.slice(0, MAX_CHARACTERS);
    const tokens = await this.ask(counted, model);
    return (tokens ?? roughTokens(counted)) + roughTokens(text.slice(MAX_CHARACTERS));
  }

  private ask(text: string, model: string): Promise<number | undefined> {
    const worker = this.running();
    const id = this.nextId++;
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish(undefined), TIMEOUT_MS);
      const finish = (tokens: number | undefined): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
        resolve(tokens);
      };
      this.waiting.set(id, finish);
      worker.postMessage({ id, text, model });
    });
  }

  private running(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(WORKER);
    worker.unref();
    worker.on('message', ({ id, tokens }: { id: number; tokens?: number }) => this.waiting.get(id)?.(tokens));
    worker.on('error', (error) => {
      this.logger.warn('the token counter ended; rough figures until it is back', { error });
      this.worker = undefined;
      for (const finish of [...this.waiting.values()]) finish(undefined);
    });
    this.worker = worker;
    return worker;
  }
}
