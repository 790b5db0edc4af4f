import { expect, it, jest } from '@jest/globals';
import { act, render } from '@testing-library/react';

let loaded = 0;
jest.unstable_mockModule('./confirm-dialog.js', () => {
  loaded += 1;
  return { ConfirmDialog: () => null };
});
const { DirtyGuard } = await import('./dirty-guard.js');

it('has the question at hand once there is something to lose, and does not load it before', async () => {
  const view = render(<DirtyGuard dirty={false} />);
  await act(async () => undefined);
  expect(loaded).toBe(0);
  view.rerender(<DirtyGuard dirty />);
  await act(async () => undefined);
  expect(loaded).toBe(1);
});
