import { describe, expect, it } from '@jest/globals';
import { render, screen } from '@testing-library/react';
import { DaySpan } from './day-span.js';

describe('a period in days', () => {
  it('breaks lines between the days, never within one', () => {
    const { container } = render(<DaySpan from="2026-11-01" to="2026-11-30" />);
    expect(container.textContent).toBe('2026-11-01 – 2026-11-30');
    for (const day of ['2026-11-01', '2026-11-30']) expect(screen.getByText(day).style.whiteSpace).toBe('nowrap');
  });

  it('names the day of a period of one day once', () => {
    const { container } = render(<DaySpan from="2026-11-26" to="2026-11-26" />);
    expect(container.textContent).toBe('2026-11-26');
  });
});
