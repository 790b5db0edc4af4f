import { describe, expect, it } from '@jest/globals';
import { renderHook } from '@testing-library/react';
import { useSubmissionKey } from './use-submission-key.js';

describe('useSubmissionKey', () => {
  it('stays while the same is sent again, and changes with what is sent', () => {
    const { result, rerender } = renderHook(() => useSubmissionKey());
    const first = result.current({ id: 1, delta: 5 });
    rerender();
    expect(result.current({ id: 1, delta: 5 })).toBe(first);
    expect(result.current({ id: 1, delta: 6 })).not.toBe(first);
  });

  it('is another one in another form', () => {
    const keys = [1, 2].map(() => renderHook(() => useSubmissionKey()).result.current({ id: 1 }));
    expect(keys[0]).not.toBe(keys[1]);
  });
});
