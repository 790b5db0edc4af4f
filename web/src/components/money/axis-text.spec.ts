import { describe, expect, it } from '@jest/globals';
import { axisText } from './axis-text.js';

const textOf = (value: number, label: string, inCurrency = true): string =>
  axisText({ perUnit: 500_000, inCurrency })(value, { location: 'tick', defaultTickLabel: label });

describe('amounts on a chart axis', () => {
  it('have the same number of decimals', () => {
    expect([textOf(0, '0.0'), textOf(0.5, '0.5'), textOf(1, '1.0')]).toEqual(['$0.0', '$0.5', '$1.0']);
    expect([textOf(0, '0'), textOf(50, '50'), textOf(1500, '1,500')]).toEqual(['$0', '$50', '$1,500']);
    expect(textOf(0.000_05, '0.00005')).toBe('$0.00005');
  });

  it('are abbreviated when large, and units have no currency sign', () => {
    expect(textOf(20_000, '20,000')).toBe('$20K');
    expect(textOf(1_500_000, '1,500,000', false)).toBe('1.5M');
    expect(textOf(200, '200', false)).toBe('200');
  });
});
