import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** The registry of one service. Metrics follow the Prometheus conventions (base units, `_total`), with the service as label. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests: Counter<'method' | 'operation' | 'status'>;
  readonly requestSeconds: Histogram<'method' | 'operation'>;

  constructor(service: string, withProcessMetrics: boolean) {
    this.registry.setDefaultLabels({ service });
    if (withProcessMetrics) collectDefaultMetrics({ register: this.registry });
    this.requests = this.counter('tollgate_http_requests_total', 'Answered requests by operation and status.', [
      'method',
      'operation',
      'status',
    ]);
    this.requestSeconds = this.histogram(
      'tollgate_http_request_seconds',
      'Time from the first byte in to the last byte out.',
      ['method', 'operation'],
    );
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  gauge<Label extends string>(name: string, help: string, labelNames: Label[] = []): Gauge<Label> {
    return new Gauge({ name, help, labelNames, registers: [this.registry] });
  }

  histogram<Label extends string>(name: string, help: string, labelNames: Label[] = []): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [this.registry] });
  }
}
