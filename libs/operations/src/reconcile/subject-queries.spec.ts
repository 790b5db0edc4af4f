import { describe, expect, it } from '@jest/globals';
import { formOf } from './subject-queries.js';

const valuesOf = (subject: string): unknown[] | undefined => formOf(subject)?.values;

describe('what a fault is about', () => {
  it.each([
    ['wallet:5', ['5']],
    ['affiliate:5', ['5']],
    ['wallet:5 lent to 01900000-0000-7000-8000-000000000001', ['5']],
    ['token:7', ['7']],
    ['order:T9', ['T9']],
    ['code:3', ['3']],
    ['channel:1', ['1']],
    ['channel:1 costs of gpt-4o', ['1']],
    ['hour 1763856000 of user 2, gpt-4o, mini', ['1763856000', '2', 'gpt-4o, mini']],
    ['hour 1763856000 of channel 1', ['1763856000', '1']],
    ['channel 1 on 2026-11-23 America/Los_Angeles, gpt-4o', ['1', '2026-11-23', 'America/Los_Angeles', 'gpt-4o']],
    ['usage of channel 1 on 2026-11-23 UTC, gpt-4o', ['1', '2026-11-23', 'UTC', 'gpt-4o']],
    ['statement of 2026-11-23 for user 2, consumption gpt-4o', ['2026-11-23', '2', 'consumption', 'gpt-4o']],
    ['statement of 2026-11-23 for user 2, redemption ', ['2026-11-23', '2', 'redemption', '']],
    ['price version abc', ['abc']],
    ['outbox 12', ['12']],
    ['offset 5 of partition 3', ['3', '5', '5']],
    ['offsets 5 to 9 of partition 3', ['3', '5', '9']],
    ['request-consumed 3/5', ['request-consumed', '3', '5']],
  ])('is read from "%s"', (subject, values) => {
    expect(valuesOf(subject)).toEqual(values);
  });

  it('is left to the ids in it otherwise', () => {
    for (const subject of ['', 'task:01900000-0000-7000-8000-000000000001', '01900000-0000-7000-8000-000000000001'])
      expect(formOf(subject)).toBeUndefined();
  });
});
