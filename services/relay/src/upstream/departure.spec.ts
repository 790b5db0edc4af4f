import { describe, expect, it } from '@jest/globals';
import { abortPolicyOf, Departure, Drains } from './departure.js';

const ignore = (): void => undefined;

describe('Departure', () => {
  it('treats any unknown setting as stop', () => {
    const settings = [{}, { abort_policy: 'drain' }, { abort_policy: 'reported' }, { abort_policy: 'never' }];
    expect(settings.map(abortPolicyOf)).toEqual(['stop', 'drain', 'reported', 'stop']);
  });

  it.each(['stop', 'reported'] as const)('reads on only from the end of an answer to its usage: %s', (policy) => {
    const departure = new Departure(policy, new Drains());
    expect(departure.readOn(false, ignore)).toBeUndefined();
    expect(departure.readOn(true, ignore)?.ms).toBeLessThanOrEqual(5000);
  });

  it('drains at most the allowed number of answers at a time, and stops the others', () => {
    const drains = new Drains(1);
    const [first, second] = [new Departure('drain', drains, () => 0), new Departure('drain', drains)];
    expect(first.readOn(false, ignore)).toEqual(first.readOn(true, ignore));
    expect(first.readOn(false, ignore)?.ms).toBeGreaterThan(5000);
    expect(second.readOn(false, ignore)).toBeUndefined();
    expect(second.readOn(true, ignore)?.ms).toBeLessThanOrEqual(5000);
    second.end();
    expect(new Departure('drain', drains).readOn(false, ignore)).toBeUndefined();
    first.end();
    expect(new Departure('drain', drains).readOn(false, ignore)).toBeDefined();
  });

  it('reports the policy that was applied, not the one that the channel wanted', () => {
    const drains = new Drains(1);
    const [first, second] = [new Departure('drain', drains), new Departure('drain', drains)];
    first.readOn(false, ignore);
    second.readOn(false, ignore);
    expect([first.policy, second.policy]).toEqual(['drain', 'stop']);
  });

  it('cuts all drains when the process stops, and begins none after that', () => {
    const drains = new Drains();
    const cut: string[] = [];
    const [drained, tail, over] = [
      new Departure('drain', drains),
      new Departure('stop', drains),
      new Departure('drain', drains),
    ];
    drained.readOn(false, () => cut.push('drained'));
    tail.readOn(true, () => cut.push('tail'));
    over.readOn(false, () => cut.push('over'));
    over.end();
    drains.end();
    expect(cut).toEqual(['drained', 'tail']);
    expect(new Departure('stop', drains).readOn(true, ignore)).toBeUndefined();
    expect(new Departure('drain', drains).readOn(false, ignore)).toBeUndefined();
  });

  it('has one deadline per answer, however often it is requested', () => {
    let now = 1000;
    const departure = new Departure('drain', new Drains(), () => now);
    const first = departure.readOn(false, ignore);
    now += 50_000;
    departure.takes(1024);
    expect(departure.readOn(true, ignore)).toEqual({
      ms: (first?.ms ?? 0) - 50_000,
      bytes: (first?.bytes ?? 0) - 1024,
    });
    now += 500_000;
    expect(departure.readOn(true, ignore)?.ms).toBe(0);
  });

  it('bounds the bytes of an answer in one piece once its client left', () => {
    const departure = new Departure('drain', new Drains());
    expect(departure.takes(64 * 1024 * 1024)).toBe(true);
    const bytes = departure.readOn(false, ignore)?.bytes ?? 0;
    expect([departure.takes(bytes), departure.takes(1)]).toEqual([true, false]);
  });
});
