import { describe, expect, it } from '@jest/globals';
import { exposition } from './exposition.js';
import { Metrics } from './metrics.js';

const text = (...services: Metrics[]): Promise<string> => exposition(services);

describe('metrics of a process', () => {
  it('refuse names that break the conventions', () => {
    const metrics = new Metrics('billing');
    expect(() => metrics.counter('tollgate_bookings', 'Without its suffix.')).toThrow(/naming conventions/);
    expect(() => metrics.counter('billing_bookings_total', 'Without the prefix.')).toThrow(/naming conventions/);
    expect(() => metrics.gauge('tollgate_leases_total', 'A gauge is no total.')).toThrow(/naming conventions/);
    expect(() => metrics.histogram('tollgate_booking_ms', 'Not in seconds.')).toThrow(/naming conventions/);
  });

  it('show all services on one page, each under its name, and the process once', async () => {
    const [billing, relay] = [new Metrics('billing'), new Metrics('relay')];
    billing.requests.add(2, 'GET', 'listTokens', '200');
    for (let turn = 0; turn < 3; turn += 1) relay.requests.add(1, 'GET', 'listTokens', '200');
    relay.requests.add(1, 'GET', 'listTokens', '404');
    billing.requestSeconds.add(0.02, 'GET', 'listTokens');
    billing.requestSeconds.add(400, 'GET', 'listTokens');
    const page = await text(billing, relay);
    const samples = page.split('\n').filter((line) => line.startsWith('tollgate_http_requests_total{'));
    expect(samples).toHaveLength(3);
    expect(samples).toContainEqual(expect.stringMatching(/service="billing".* 2$/));
    expect(samples).toContainEqual(
      expect.stringMatching(/method="GET",operation="listTokens",status="200",service="relay".* 3$/),
    );
    expect(samples).toContainEqual(expect.stringMatching(/status="404",service="relay".* 1$/));
    expect(await text(billing, relay)).toContain(samples[0]);
    expect(page.match(/# TYPE tollgate_http_requests_total counter/g)).toHaveLength(1);
    expect(page.match(/# TYPE process_cpu_seconds_total counter/g)).toHaveLength(1);
    const timed = page.split('\n').filter((line) => line.startsWith('tollgate_http_request_duration_seconds'));
    expect(timed).toContainEqual(expect.stringMatching(/_bucket\{(?=.*le="0\.01").*operation="listTokens".*\} 0$/));
    expect(timed).toContainEqual(expect.stringMatching(/_bucket\{(?=.*le="0\.025").*service="billing".*\} 1$/));
    expect(timed).toContainEqual(expect.stringMatching(/_bucket\{(?=.*le="\+Inf").*method="GET".*\} 2$/));
    expect(timed).toContainEqual(expect.stringMatching(/_sum\{.*\} 400\.02$/));
    expect(timed).toContainEqual(expect.stringMatching(/_count\{.*\} 2$/));
    expect(page).toContain('tollgate_event_loop_utilization_ratio');
  });

  it('report that a service is up before its first request', async () => {
    const page = await text(new Metrics('billing'), new Metrics('relay'));
    const samples = page.split('\n').filter((line) => line.startsWith('tollgate_service_up{'));
    expect(samples).toEqual(['tollgate_service_up{service="billing"} 1', 'tollgate_service_up{service="relay"} 1']);
  });

  it('report what a leader measured only while it leads', async () => {
    const metrics = new Metrics('billing');
    const leader = { isLeader: true };
    const gauge = metrics.led('tollgate_billing_held_faults', 'Of one process.', leader);
    const samples = async (): Promise<string[]> =>
      (await text(metrics)).split('\n').filter((line) => line.startsWith('tollgate_billing_held_faults{'));
    expect(await samples()).toEqual([]);
    gauge.set(0);
    expect(await samples()).toEqual([expect.stringMatching(/ 0$/)]);
    leader.isLeader = false;
    expect(await samples()).toEqual([]);
    leader.isLeader = true;
    expect(await samples()).toEqual([]);
    gauge.set(2);
    expect(await samples()).toEqual([expect.stringMatching(/ 2$/)]);
  });

  it('omit gauges that cannot be read, without failing', async () => {
    const metrics = new Metrics('billing');
    metrics.measured('tollgate_outbox_events', 'Cannot be read.', [], () => Promise.reject(new Error('database away')));
    const page = await text(metrics);
    expect(page).toContain('# TYPE tollgate_outbox_events gauge');
    expect(page).not.toMatch(/^tollgate_outbox_events[ {]/m);
  });
});
