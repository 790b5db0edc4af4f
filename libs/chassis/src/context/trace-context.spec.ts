import { describe, expect, it } from '@jest/globals';
import { traceIdOf, traceparentOf } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('the trace of a request', () => {
  it('is taken from its header', () => {
    const traceparent = traceparentOf({ traceparent: `00-${TRACE}-${SPAN}-01` });
    expect(traceparent).toBe(`00-${TRACE}-${SPAN}-01`);
    expect(traceIdOf(traceparent ?? '')).toBe(TRACE);
  });

  it.each([
    ['nothing', undefined],
    ['text', 'trace me'],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['more than it should have', `00-${TRACE}-${SPAN}-01-extra`],
    ['a second line', `00-${TRACE}-${SPAN}-01\r\nx: y`],
  ])('is not taken from %s', (_name, traceparent) => {
    expect(traceparentOf({ traceparent })).toBeUndefined();
  });
});
