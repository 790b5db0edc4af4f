import { describe, expect, it } from '@jest/globals';
import { abortPolicyOf, Departure, Drains } from './departure.js';

describe('Departure', () => {
  it('takes any setting but the named ones for stop', () => {
    const settings = [{}, { abort_policy: 'drain' }, { abort_policy: 'reported' }, { abort_policy: 'never' }];
    expect(settings.map(abortPolicyOf)).toEqual(['stop', 'drain', 'reported', 'stop']);
  });

  it.each(['stop', 'reported'] as const)('reads on only to the usage of an answer that has ended: %s', (policy) => {
    const departure = new Departure(policy, new Drains());
    expect(departure.readOn(false)).toBeUndefined();
    expect(departure.readOn(true)?.ms).toBeLessThanOrEqual(5000);
  });

  it('drains as many answers at once as the process may, and stops the others', () => {
    const drains = new Drains(1);
    const [first, second] = [new Departure('drain', drains), new Departure('drain', drains)];
    expect(first.readOn(false)).toEqual(first.readOn(true));
    expect(first.readOn(false)?.ms).toBeGreaterThan(5000);
    expect(second.readOn(false)).toBeUndefined();
    expect(second.readOn(true)?.ms).toBeLessThanOrEqual(5000);
    second.end();
    expect(new Departure('drain', drains).readOn(false)).toBeUndefined();
    first.end();
    expect(new Departure('drain', drains).readOn(false)).toBeDefined();
  });
});
