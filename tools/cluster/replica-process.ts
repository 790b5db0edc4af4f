import { type ChildProcess, spawn } from 'node:child_process';
import cluster from 'node:cluster';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@tollgate/contracts';
import { BackOff } from './back-off.js';
import { allocatorOf, nodeFlagsOf } from './node-flags.js';

export interface ReplicaPlan {
  /** For example `billing-2`. */
  name: string;
  service: ServiceName;
  port: number;
  /**
   * Port on which this process alone answers /readyz and /metrics; the same as `port` unless replicas share that one.
   */
  probePort: number;
  log: string;
  /** The bundled `main.js` of the service. */
  main: string;
  environment: Record<string, string>;
}

const PROBE_MS = 200;

/**
 * One replica of a service, restarted when it ends unexpectedly. Replicas of the gateway share a port through
 * `node:cluster`: this process opens it and each of them accepts from it, so that no third process copies the bytes and
 * the gateway sees the client's real address. Every other service has a port and a process session of its own: Ctrl-C in
 * a terminal signals the whole process group at once, but they must stop after the gateways. Each replica has an IPC
 * channel to this process, and drains by itself when that closes.
 */
export class ReplicaProcess {
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();
  private stopping = false;
  private readonly backOff = new BackOff();

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
    void this.exited.then(() => this.ended(child, performance.now() - startedAt));
    this.onChange();
  }

  private spawn(): ChildProcess {
    const { service, main, environment, log } = this.plan;
    const file = openSync(log, 'a');
    try {
      const env = { ...allocatorOf(service), ...process.env, ...environment };
      return spawn(process.execPath, [...nodeFlagsOf(service), main], {
        env,
        detached: true,
        stdio: ['ignore', file, file, 'ipc'],
      });
    } finally {
      closeSync(file);
    }
  }

  private fork(): ChildProcess {
    const { service, main, environment, log } = this.plan;
    const file = openSync(log, 'a');
    try {
      // Gateways accept from the shared port themselves. Node's default hands connections over, and one that is on its
      // way to a process that dies would stay open for ever, with nobody to answer it. Counts at the first fork.
      cluster.schedulingPolicy = cluster.SCHED_NONE;
      cluster.setupPrimary({
        exec: main,
        execArgv: nodeFlagsOf(service),
        args: [],
        stdio: ['ignore', file, file, 'ipc'],
      });
      return cluster.fork({ ...allocatorOf(service), ...process.env, ...environment })
        .process as unknown as ChildProcess;
    } finally {
      closeSync(file);
    }
  }

  private ended({ exitCode, signalCode }: ChildProcess, livedMs: number): void {
    this.child = undefined;
    this.onChange();
    if (this.stopping) return;
    const ms = this.backOff.after(livedMs);
    const { name, log } = this.plan;
    const how = signalCode ?? `code ${exitCode}`;
    process.stderr.write(`${name} ended by itself (${how}), starting it again in ${ms / 1000} s (see ${log})\n`);
    setTimeout(() => {
      if (!this.stopping) this.start();
    }, ms);
  }

  /**
   * Resolves with true when the replica is ready, with false when the deadline has passed or the replica is being
   * stopped.
   */
  async untilReady(deadline: number): Promise<boolean> {
    while (performance.now() < deadline && !this.stopping) {
      if (await this.isReady()) return true;
      await pause(PROBE_MS);
    }
    return false;
  }

  private async isReady(): Promise<boolean> {
    return fetch(`http://${reachable(this.plan.environment.HOST)}:${this.plan.probePort}/readyz`).then(
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

/** An address to connect to: a process that listens on all interfaces is reached by the loopback address. */
function reachable(host = ''): string {
  if (['', '0.0.0.0', '::'].includes(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
