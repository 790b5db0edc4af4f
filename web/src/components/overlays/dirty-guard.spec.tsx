import { expect, it, jest } from '@jest/globals';
import { act, render } from '@testing-library/react';

let loaded = 0;
jest.unstable_mockModule('./confirm-dialog.js', () => {
  loaded += 1;
  return { ConfirmDialog: () => null };
});
const { DirtyGuard } = await import('./dirty-guard.js');

it('loads the confirmation only once there is typed text to lose', async () => {
  const view = render(<DirtyGuard dirty={false} />);
  await act(async () => undefined);
  expect(loaded).toBe(0);
  view.rerender(<DirtyGuard dirty />);
  await act(async () => undefined);
  expect(loaded).toBe(1);
});
