import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@tollgate/chassis';
import { Redis } from 'ioredis';

const READY_MS = 15_000;

/** One `redis-server` on this machine, which can be stopped, killed and started again under the same address. */
export class LocalRedis {
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private readonly killOnExit = (): void => void this.child?.kill('SIGKILL');

  private constructor(
    private readonly port: number,
    /** Data stay there; nothing is kept without one. */
    private readonly folder: string | undefined,
  ) {}

  static async open(folder?: string): Promise<LocalRedis> {
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    return new LocalRedis(await freePort(), folder);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  async start(): Promise<void> {
    if (this.child) return;
    const data =
      this.folder === undefined ? ['--save', '', '--appendonly', 'no'] : ['--dir', this.folder, '--appendonly', 'yes'];
    // With a folder it outlives Ctrl-C in the terminal: processes that still drain need it.
    const options = { stdio: 'ignore', detached: this.folder !== undefined } as const;
    const child = spawn('redis-server', ['--port', String(this.port), '--bind', '127.0.0.1', ...data], options);
    this.child = child;
    process.on('exit', this.killOnExit);
    this.ended = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    void this.ended.then(() => {
      this.child = undefined;
      process.off('exit', this.killOnExit);
    });
    await this.untilReady();
  }

  private async untilReady(): Promise<void> {
    const redis = new Redis(this.port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => 50 });
    redis.on('error', () => undefined);
    const deadline = performance.now() + READY_MS;
    try {
      while ((await redis.ping().catch(() => '')) !== 'PONG') {
        if (!this.child) throw new Error('redis-server ended at once');
        if (performance.now() > deadline) throw new Error('redis-server does not answer');
        await pause(50);
      }
    } finally {
      redis.disconnect();
    }
  }

  untilEnded(): Promise<void> {
    return this.ended;
  }

  async stop(): Promise<void> {
    this.child?.kill('SIGTERM');
    await this.ended;
  }

  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }
}
