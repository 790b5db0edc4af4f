import { describe, expect, it } from '@jest/globals';
import { scalePage } from './scale-page.js';

const taken = { day: '2026-01-02', machine: 'A processor, 2 cores', loadBefore: 0.1, loadAfter: 2 };

describe('docs/scale.md', () => {
  it('marks figures that were not measured', () => {
    expect(scalePage({}).match(/^Not measured yet\.$/gm)).toHaveLength(2);
  });

  it('shows what was measured with machine, day and load', () => {
    const page = scalePage({
      start: { ...taken, rows: [{ service: 'relay', median: 1.26, longest: 1.5, cpu: 2 }] },
      relays: {
        ...taken,
        rows: [
          { relays: 1, perSecond: 4321.4, own: 200, rest: 500.2 },
          { relays: 2, perSecond: 4000, own: 210, rest: 520 },
        ],
      },
    });
    expect(page.match(/2026-01-02; A processor, 2 cores; .*load average 0\.1 before, 2\.0 after\./g)).toHaveLength(2);
    expect(page).toContain('| relay | 1.3 | 1.5 | 2.0 |\n');
    expect(page).toContain('| 1 | 4 321 | 200 | 500 | 1.00 |\n| 2 | 4 000 | 210 | 520 | 1.05 |\n');
  });
});
