import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { productVersion } from '../config/version.js';

/** Shortest time in milliseconds over which utilization is meaningful. */
const WINDOW_MS = 1000;
/** Milliseconds between samples of the event loop's lag. Each sample wakes the process, even an idle one. */
const LAG_MS = 100;

let registry: Registry | undefined;

/** Metrics of the operating system and Node for this process: one registry, however many services it runs. */
export function processRegistry(): Registry {
  if (registry) return registry;
  registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_MS });
  measureEventLoop(registry);
  new Gauge({
    name: 'tollgate_build_info',
    help: 'Which build runs; always 1.',
    labelNames: ['version'],
    registers: [registry],
  })
    .labels(productVersion)
    .set(1);
  return registry;
}

/** Event loop utilization; autoscaling uses it. At 1 the process has no idle time left. */
function measureEventLoop(register: Registry): void {
  // The first value covers all the time since the start of the process.
  let last: EventLoopUtilization = { idle: 0, active: 0, utilization: 0 };
  let lastAt = 0;
  new Gauge({
    name: 'tollgate_event_loop_utilization_ratio',
    help: 'Share of time the event loop was busy since it was last asked.',
    registers: [register],
    collect() {
      const at = performance.now();
      if (at - lastAt < WINDOW_MS) return;
      const now = performance.eventLoopUtilization();
      this.set(performance.eventLoopUtilization(now, last).utilization);
      last = now;
      lastAt = at;
    },
  });
}
