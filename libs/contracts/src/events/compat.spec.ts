import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { allEvents, envelopeSchema } from './index.js';

/**
 * Events of the past are read again for as long as they are kept, and replicas of two releases run side by side. So a version,
 * once published, changes by new optional fields only. Where a snapshot differs in anything else, raise `version`, add an
 * `upcast` and leave the old snapshot where it is.
 */
describe('the schemas of events', () => {
  it.each(allEvents.map((event) => [`${event.name} version ${event.version}`, event] as const))('%s', (_, event) => {
    const { name, version, partitions, data } = event;
    expect({ name, version, partitions, data: z.toJSONSchema(data) }).toMatchSnapshot();
  });

  it('travel in one envelope', () => {
    expect(z.toJSONSchema(envelopeSchema)).toMatchSnapshot();
  });

  it('have topics of their own', () => {
    expect(new Set(allEvents.map(({ name }) => name)).size).toBe(allEvents.length);
  });
});
