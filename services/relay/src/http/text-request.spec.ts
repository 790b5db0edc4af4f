import { describe, expect, it } from '@jest/globals';
import { chatRequestSchema } from '@tollgate/contracts/api/chat';
import type { JsonObject } from '@tollgate/providers';
import fc from 'fast-check';
import { isPlainChat } from '../body/text-request.js';

const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: value }, { weight: 1, arbitrary: fc.jsonValue() });
const count = some(fc.oneof(fc.nat(), fc.constantFrom(0, -1, 0.5, 2 ** 30 - 1, 2 ** 30, 2 ** 53)));
const request = fc.record(
  {
    model: some(fc.constantFrom('gpt-4o', '')),
    messages: some(fc.array(fc.oneof(fc.constant({ role: 'user', content: 'hi' }), fc.jsonValue()), { maxLength: 3 })),
    stream: some(fc.boolean()),
    stream_options: some(fc.constant({ include_usage: true })),
    max_tokens: count,
    max_completion_tokens: count,
    n: count,
    best_of: count,
    temperature: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

describe('isPlainChat', () => {
  it('knows the requests of every day', () => {
    const messages = [{ role: 'user', content: 'hi' }];
    expect(isPlainChat({ model: 'gpt-4o', messages, stream: true, max_tokens: 200, temperature: 0.7 })).toBe(true);
    expect(isPlainChat({ model: 'gpt-4o', messages, n: 2 })).toBe(false);
  });

  it('lets nothing pass that the schema refuses', () => {
    fc.assert(
      fc.property(request, (json) => {
        const isValid = chatRequestSchema.safeParse(json).success;
        expect(isValid || !isPlainChat(json as JsonObject)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});
