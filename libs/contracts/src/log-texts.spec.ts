import { describe, expect, it } from '@jest/globals';
import type { LogTextKey } from './log-texts.js';
import { logText, logTexts, readLogText } from './log-texts.js';

const values = {
  ...{ before: '＄-0.200000 额度', after: '0 点额度', quota: '＄1.000000 额度', id: '7', money: '14.600000' },
  ...{ order: 'USR3NO，退回额度: 1', task: '' },
};

describe('the texts of the usage log', () => {
  it.each(Object.keys(logTexts) as LogTextKey[])('are recognised with their values: %s', (key) => {
    const names = [...logTexts[key].matchAll(/{(\w+)}/g)].map(([, name = '']) => name as keyof typeof values);
    const filled = logText(key, values);
    expect(filled).not.toMatch(/[{}]/);
    expect(readLogText(filled)).toEqual({ key, values: Object.fromEntries(names.map((name) => [name, values[name]])) });
  });

  it.each([
    '',
    '通过兑换码充值',
    '通过兑换码充值 很多，兑换码ID 7',
    '通过兑换码充值 5 点额度，兑换码ID 7。',
    '无可用渠道',
  ])('are not mistaken for others: "%s"', (text) => expect(readLogText(text)).toBeUndefined());
});
