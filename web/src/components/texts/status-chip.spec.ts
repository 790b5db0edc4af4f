import { expect, it } from '@jest/globals';
import { looks } from './status-chip.js';

it('status chips differ without colours', () => {
  const colors = new Map<unknown, Set<string>>();
  for (const { icon, color } of Object.values(looks)) colors.set(icon, (colors.get(icon) ?? new Set()).add(color));
  expect([...colors.values()].filter(({ size }) => size > 1)).toEqual([]);
});
