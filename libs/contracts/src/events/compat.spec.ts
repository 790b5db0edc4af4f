import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { allEvents, envelopeSchema } from './index.js';

/**
 * Past events are read again as long as they are kept, and replicas of two releases run side by side. So a published version may only gain
 * optional fields. If a snapshot differs in anything else: raise `version`, add an `upcast`, remove the old snapshot (jest fails on an
 * obsolete one), and test the upcast of a record of the old version in the event's own spec.
 */
describe('the schemas of events', () => {
  it.each(allEvents.map((event) => [`${event.name} version ${event.version}`, event] as const))('%s', (_, event) => {
    const { name, version, partitions, data } = event;
    expect({ name, version, partitions, data: z.toJSONSchema(data) }).toMatchSnapshot();
  });

  it('of a later version can lift the records of the earlier ones', () => {
    const later = allEvents.filter(({ version }) => version > 1);
    expect(later.length).toBeGreaterThan(0);
    expect(later.filter(({ upcast }) => upcast === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('travel in one envelope', () => {
    expect(z.toJSONSchema(envelopeSchema)).toMatchSnapshot();
  });

  it('have topics of their own', () => {
    expect(new Set(allEvents.map(({ name }) => name)).size).toBe(allEvents.length);
  });
});
