import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { productVersion } from '../config/version.js';

/** The shortest time over which a share of busy time means anything. */
const WINDOW_MS = 1000;
/** Each look at the lag of the event loop wakes the process, also an idle one. */
const LAG_MS = 100;

let registry: Registry | undefined;

/** What the operating system and Node know of this process: one registry, whatever services it runs. */
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

/** Replicas are scaled by it: at 1 the process has not a moment left. */
function measureEventLoop(register: Registry): void {
  // The first answer is about all the time since the start.
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
