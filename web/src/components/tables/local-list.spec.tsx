import { describe, expect, it } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import { useLocalList } from './local-list.js';

describe('the state of a list outside of the address', () => {
  it('keeps the first row in view when the size of a page changes', () => {
    const { result } = renderHook(() => useLocalList({}));
    act(() => result.current.setPage(5));
    act(() => result.current.setSize(20));
    expect(result.current.page).toBe(3);
  });
});
