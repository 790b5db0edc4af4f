import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { endWithUs } from './end-with-us.js';

const PROBE_MS = 50;
const STOP_MS = 15_000;
/** The default limit on how long the product's processes take to drain. */
const DRAIN_SECONDS = 60;
/** Length of the tail of its output that the error shows when the server does not start. */
const SAID_CHARS = 4_000;

export interface LocalServerPlan {
  /** Name in messages. */
  name: string;
  program: string;
  args: readonly string[];
  cwd?: string;
  readyMs: number;
  /**
   * Gives the server a process session of its own, so that neither Ctrl-C nor the end of this process stops it while
   * other processes drain.
   */
  ownSession?: boolean;
}

/** A server in a child process on this machine, which can be stopped, killed and restarted with the same address. */
export abstract class LocalServer {
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private said = '';

  protected abstract readonly plan: LocalServerPlan;

  /** Whether the server is ready; a rejection counts as false. */
  protected abstract answers(): Promise<boolean>;

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    if (this.child) return;
    const { name, program, args, cwd, ownSession } = this.plan;
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: ownSession, cwd });
    this.child = child;
    this.said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => this.note(chunk.toString()));
    const release =
      child.pid === undefined ? undefined : endWithUs(child.pid, { graceSeconds: ownSession ? DRAIN_SECONDS : 0 });
    this.ended = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', ({ message }) => {
        this.note(message);
        resolve();
      });
    });
    void this.ended.then(() => {
      this.child = undefined;
      release?.();
    });
    try {
      await this.untilReady();
    } catch (error) {
      await this.kill();
      throw new Error(`${name} did not start: ${this.said || (error as Error).message}`, { cause: error });
    }
  }

  private note(words: string): void {
    this.said = `${this.said}${words}`.slice(-SAID_CHARS);
  }

  private async untilReady(): Promise<void> {
    const deadline = performance.now() + this.plan.readyMs;
    for (let last: unknown; ; await pause(PROBE_MS)) {
      try {
        if (await this.answers()) return;
      } catch (error) {
        last = error;
      }
      if (!this.child) throw new Error('it ended at once', { cause: last });
      if (performance.now() > deadline) throw new Error('it does not answer', { cause: last });
    }
  }

  protected signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  untilEnded(): Promise<void> {
    return this.ended;
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const late = setTimeout(() => this.signal('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(late);
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended;
  }
}
