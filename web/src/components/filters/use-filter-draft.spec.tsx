import { describe, expect, it, jest } from '@jest/globals';
import { act, renderHook } from '@testing-library/react';
import type { ListState } from '../tables/list-state.js';
import type { FilterField } from './use-filter-draft.js';
import { useFilterDraft } from './use-filter-draft.js';

type Names = { code: string; user: string; start: string };
const fields: FilterField<Names>[] = [
  { name: 'code', kind: 'select', label: 'Kind', options: [] },
  { name: 'user', kind: 'text', label: 'User' },
  { name: 'start', kind: 'time', label: 'From' },
];
const none: Names = { code: '', user: '', start: '' };

/** A list whose address changes only when the test calls `arrive`, as that of a page which is still rendering. */
function open(filter = none) {
  const apply = jest.fn<ListState<Names>['apply']>();
  const view = renderHook(
    (props: { filter: Names }) =>
      useFilterDraft({ filter: props.filter, apply } as unknown as ListState<Names>, fields),
    { initialProps: { filter } },
  );
  return {
    apply,
    draft: () => view.result.current.draft,
    type: (change: Partial<Names>) =>
      act(() => view.result.current.setDraft({ ...view.result.current.draft, ...change })),
    commit: (change: Partial<Names> = {}): boolean => {
      let applied = false;
      act(() => void (applied = view.result.current.commit({ ...view.result.current.draft, ...change })));
      return applied;
    },
    /** Renders with this address. */
    arrive: (change: Partial<Names>) => view.rerender({ filter: { ...none, ...change } }),
  };
}

describe('the draft of filters', () => {
  it('keeps text that is typed while a choice is being applied', () => {
    const bar = open();
    bar.type({ code: 'consumption' });
    bar.commit();
    bar.type({ user: '7' });
    bar.arrive({ code: 'consumption' });
    expect(bar.draft()).toEqual({ code: 'consumption', user: '7', start: '' });
    bar.commit();
    expect(bar.apply).toHaveBeenLastCalledWith({ code: 'consumption', user: '7', start: '' });
  });

  it('keeps text that is typed in a field while it is being applied, also over two choices', () => {
    const bar = open();
    bar.type({ user: '7' });
    bar.commit();
    bar.type({ code: 'grant' });
    bar.commit();
    bar.type({ user: '71' });
    bar.arrive({ user: '7' });
    expect(bar.draft()).toEqual({ code: 'grant', user: '71', start: '' });
    bar.arrive({ user: '7', code: 'grant' });
    expect(bar.draft()).toEqual({ code: 'grant', user: '71', start: '' });
  });

  it('shows an applied time in full', () => {
    const bar = open();
    const seconds = new Date(2026, 10, 23).getTime() / 1000;
    bar.type({ start: '2026-11-23' });
    bar.commit();
    bar.arrive({ start: String(seconds) });
    expect(bar.draft().start).toBe('2026-11-23 00:00:00');
  });

  it('does not treat another spelling of the same time as a change, so that "search" refetches', () => {
    const seconds = new Date(2026, 10, 23, 12, 3).getTime() / 1000;
    const bar = open({ ...none, start: String(seconds) });
    bar.type({ start: '2026-11-23 12:03' });
    expect(bar.commit()).toBe(false);
    expect(bar.apply).not.toHaveBeenCalled();
    expect(bar.draft().start).toBe('2026-11-23 12:03:00');
  });

  it('follows the address after "back" and after a filter is removed', () => {
    const bar = open();
    bar.type({ user: '7' });
    bar.commit();
    bar.arrive({ user: '7' });
    bar.type({ code: 'grant' });
    bar.arrive({});
    expect(bar.draft()).toEqual(none);
    // Forward again: the address changes to a filter that was applied before, which is now an external change.
    bar.arrive({ user: '7' });
    expect(bar.draft()).toEqual({ ...none, user: '7' });
  });
});
