import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Durations } from './durations.js';
import { Tally } from './tally.js';

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const NAME = /^tollgate_[a-z][a-z0-9]*(_[a-z0-9]+)+$/;

/** One value of a gauge with its labels. */
interface Sample<Label extends string> {
  labels: Partial<Record<Label, string>>;
  value: number;
}

/**
 * The registry of one service, whose name is a label on every series. Names follow the Prometheus conventions: our prefix, base units
 * (`_seconds`, `_bytes`), and `_total` for counters only.
 */
export class Metrics {
  readonly registry = new Registry();
  /** Requests by method, operation and status. */
  readonly requests: Tally<'method' | 'operation' | 'status'>;
  readonly requestSeconds: Durations<'method' | 'operation'>;

  constructor(service: string) {
    this.registry.setDefaultLabels({ service });
    this.gauge('tollgate_service_up', 'Which services the process runs; always 1.').set(1);
    this.requests = this.tally('tollgate_http_requests_total', 'Answered requests by operation and status.', [
      'method',
      'operation',
      'status',
    ]);
    this.requestSeconds = this.durations(
      'tollgate_http_request_duration_seconds',
      'Time from the first byte in to the last byte out.',
      ['method', 'operation'],
    );
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    requireConvention(name, name.endsWith('_total'));
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** A counter for what is counted with every request. */
  tally<Label extends string>(name: string, help: string, labelNames: Label[]): Tally<Label> {
    requireConvention(name, name.endsWith('_total'));
    const tally = new Tally(labelNames);
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { labels, value } of tally.counts()) this.inc(labels, value);
      },
    });
    return tally;
  }

  gauge(name: string, help: string): Gauge {
    requireConvention(name, !name.endsWith('_total'));
    return new Gauge({ name, help, registers: [this.registry] });
  }

  /** A gauge whose value is kept elsewhere: `read` is called at each scrape. */
  reading(name: string, help: string, read: () => number): void {
    requireConvention(name, !name.endsWith('_total'));
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }

  /**
   * A gauge that only the leader of a service sets. It is absent in a process that does not lead, no longer leads or has not set it yet.
   */
  led(name: string, help: string, leader: { readonly isLeader: boolean }): Gauge {
    requireConvention(name, !name.endsWith('_total'));
    const gauge = new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        if (!leader.isLeader) this.remove();
      },
    });
    gauge.remove();
    return gauge;
  }

  /** A histogram of durations, in seconds. */
  histogram<Label extends string>(name: string, help: string, labelNames: Label[] = []): Histogram<Label> {
    requireConvention(name, name.endsWith('_seconds'));
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [this.registry] });
  }

  /** A histogram of seconds for what is recorded with every request. */
  durations<Label extends string>(name: string, help: string, labelNames: Label[]): Durations<Label> {
    requireConvention(name, name.endsWith('_seconds'));
    return new Durations({ name, help, labelNames, buckets: SECONDS, registry: this.registry });
  }

  /** A gauge that is measured at each scrape. When the measurement fails, the gauge is absent instead of stale. */
  measured<Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    read: () => Promise<readonly Sample<Label>[]>,
  ): void {
    requireConvention(name, !name.endsWith('_total'));
    new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const samples = await read().catch(() => []);
        this.reset();
        if (labelNames.length === 0) this.remove();
        for (const { labels, value } of samples) this.set(labels, value);
      },
    });
  }
}

function requireConvention(name: string, hasRightSuffix: boolean): void {
  if (!NAME.test(name) || !hasRightSuffix) throw new Error(`metric "${name}" does not follow the naming conventions`);
}
