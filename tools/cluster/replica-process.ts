import { type ChildProcess, spawn } from 'node:child_process';
import cluster from 'node:cluster';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@tollgate/contracts';

export interface ReplicaPlan {
  /** `billing-2`. */
  name: string;
  service: ServiceName;
  port: number;
  log: string;
  /** The compiled `main.js` of the service. */
  main: string;
  environment: Record<string, string>;
}

const FIRST_RESTART_MS = 500;
const LONGEST_RESTART_MS = 10_000;
/** A process that lived as long is no crash loop. */
const STABLE_MS = 30_000;
const PROBE_MS = 200;
const NODE_FLAGS = ['--disable-warning=TimeoutNegativeWarning', '--enable-source-maps'];

/**
 * One replica, started again when it dies by itself. Gateways share their port through `node:cluster`: this process
 * holds it and hands each connection to one of them, so that no byte passes a third process and the client's address
 * stays what it is. All others have a port and a session of their own, because Ctrl-C in a terminal reaches the whole
 * group at once, and they must stop after the gateways.
 */
export class ReplicaProcess {
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();
  private stopping = false;
  private restartMs = FIRST_RESTART_MS;

  constructor(
    readonly plan: ReplicaPlan,
    private readonly onChange: () => void,
  ) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  start(): void {
    const startedAt = performance.now();
    const child = this.plan.service === 'gateway' ? this.fork() : this.spawn();
    this.child = child;
    this.exited = new Promise((resolve) => {
      child.once('error', () => resolve());
      child.once('exit', () => resolve());
    });
    void this.exited.then(() => this.ended(performance.now() - startedAt));
    this.onChange();
  }

  private spawn(): ChildProcess {
    const { main, environment, log } = this.plan;
    const file = openSync(log, 'a');
    try {
      const env = { ...process.env, ...environment };
      return spawn(process.execPath, [...NODE_FLAGS, main], { env, detached: true, stdio: ['ignore', file, file] });
    } finally {
      closeSync(file);
    }
  }

  private fork(): ChildProcess {
    const { main, environment, log } = this.plan;
    const file = openSync(log, 'a');
    try {
      cluster.setupPrimary({ exec: main, execArgv: NODE_FLAGS, args: [], stdio: ['ignore', file, file, 'ipc'] });
      return cluster.fork(environment).process as unknown as ChildProcess;
    } finally {
      closeSync(file);
    }
  }

  private ended(livedMs: number): void {
    this.child = undefined;
    this.onChange();
    if (this.stopping) return;
    this.restartMs = livedMs > STABLE_MS ? FIRST_RESTART_MS : Math.min(this.restartMs * 2, LONGEST_RESTART_MS);
    process.stderr.write(`${this.plan.name} ended by itself, starting it again (see ${this.plan.log})\n`);
    setTimeout(() => {
      if (!this.stopping) this.start();
    }, this.restartMs);
  }

  /** Until the replica wants traffic; false when the time is over or it ended. */
  async untilReady(deadline: number): Promise<boolean> {
    while (performance.now() < deadline && !this.stopping) {
      if (await this.isReady()) return true;
      await pause(PROBE_MS);
    }
    return false;
  }

  /** A gateway opens its port when it is ready; which of them answers there is for nobody to say, so its own word counts. */
  private async isReady(): Promise<boolean> {
    if (this.plan.service === 'gateway') {
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      return workers.some(({ id, process: { pid } }) => pid === this.pid && listening.has(id));
    }
    return fetch(`http://127.0.0.1:${this.plan.port}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  signal(name: NodeJS.Signals): void {
    this.stopping = true;
    this.child?.kill(name);
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM');
    await this.exited;
  }
}

const listening = new Set<number>();
cluster.on('listening', ({ id }) => listening.add(id));
