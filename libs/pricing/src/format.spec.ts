import { describe, expect, it } from '@jest/globals';
import { abbreviated, quotaLabel, quotaLogText, quotaText, quotaToUsd } from './format.js';
import { consumptionContent } from './log-content.js';

const currency = { displayInCurrency: true, quotaPerUnit: 500_000 };
const units = { displayInCurrency: false, quotaPerUnit: 500_000 };

describe('quota texts', () => {
  it('read as currency with six decimals or as plain units', () => {
    expect(quotaText(500_000, currency)).toBe('＄1.000000');
    expect(quotaLogText(500_000, currency)).toBe('＄1.000000 额度');
    expect(quotaText(500_000, units)).toBe('500000');
    expect(quotaLogText(500_000, units)).toBe('500000 点额度');
    expect(quotaText(-1, currency)).toBe('＄-0.000002');
  });

  it('are exact for amounts beyond what a float can divide', () => {
    expect(quotaToUsd(Number.MAX_SAFE_INTEGER, 500_000, 6)).toBe('18014398509.481982');
    expect(quotaToUsd(1, 3, 2)).toBe('0.33');
    expect(quotaToUsd(5, 1000, 2)).toBe('0.01'); // 0.005, halves away from zero
    expect(quotaToUsd(5, 2.5, 0)).toBe('2');
  });

  it('show the console two decimals, and six where two would hide an amount', () => {
    expect(quotaLabel(617_000, currency)).toBe('$1.23');
    expect(quotaLabel(1, currency)).toBe('$0.000002');
    expect(quotaLabel(-60_000, currency)).toBe('−$0.12');
    expect(quotaLabel(0, currency)).toBe('$0.00');
    expect(quotaLabel(0, currency, 6)).toBe('$0.00');
    expect(quotaLabel(617_000, currency, 4)).toBe('$1.2340');
    expect(quotaLabel(-12_345, units)).toBe('−12.3k');
  });

  it('abbreviate from ten thousand', () => {
    expect([0, 9999, 10_000, 999_999, 1_000_000, 1_550_000_000].map(abbreviated)).toEqual([
      '0',
      '9999',
      '10.0k',
      '1000.0k',
      '1.0M',
      '1.6B',
    ]);
  });
});

describe('log contents', () => {
  const usage = {
    semantics: 'openai',
    inputTokens: 1,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 1,
  } as const;
  const none = { ...usage, inputTokens: 0, outputTokens: 0 };
  const ratios = {
    modelRatio: 1.25,
    completionRatio: 4,
    groupRatio: 0.8,
    cacheRatio: 1,
    cacheCreationRatio: 1.25,
    modelPrice: -1,
    quotaPerUnit: 1,
  };
  const call = { ...ratios, modelPrice: 0.04 };
  const chat = { endpoint: 'chat', model: 'gpt-4o', usage, price: ratios } as const;

  it('state the ratios, or the price of a call', () => {
    expect(consumptionContent(chat)).toBe('模型倍率 1.25，补全倍率 4.00，分组倍率 0.80');
    expect(consumptionContent({ ...chat, price: call })).toBe('模型价格 0.04，分组倍率 0.80');
    const audible = { ...ratios, audioRatio: 16, audioCompletionRatio: 2 };
    expect(consumptionContent({ ...chat, price: audible })).toBe('模型倍率 1.25，补全倍率 4.00，分组倍率 0.80');
    expect(consumptionContent({ ...chat, usage: { ...usage, audioInputTokens: 1 }, price: audible })).toBe(
      '模型倍率 1.25，补全倍率 4.00，音频倍率 16.00，音频补全倍率 2.00，分组倍率 0.80',
    );
  });

  it('name the custom GPT, the missing usage and what the endpoint adds', () => {
    const gizmo = { ...chat, model: 'gpt-4-gizmo-g-1', price: call, usage: none };
    expect(
      consumptionContent({
        ...gizmo,
        usage: { ...gizmo.usage, pictures: { count: 1, size: '1024x1024', quality: 'hd' } },
      }),
    ).toBe('模型价格 0.04，分组倍率 0.80，模型 gpt-4-gizmo-g-1（可能是上游超时）, 大小 1024x1024, 品质 hd');
  });

  it('stay empty for messages unless nothing was used', () => {
    expect(consumptionContent({ ...chat, endpoint: 'messages' })).toBe('');
    expect(consumptionContent({ ...chat, endpoint: 'messages', usage: none })).toBe('（可能是上游出错）');
  });

  it('round ties to the even neighbour', () => {
    expect(
      consumptionContent({
        ...chat,
        price: { ...ratios, modelRatio: 0.125, completionRatio: 0.375, groupRatio: 0.075 },
      }),
    ).toBe('模型倍率 0.12，补全倍率 0.38，分组倍率 0.07');
  });

  it('state a task with or without its id', () => {
    const task = { ...chat, price: { ...ratios, modelPrice: 0.1, groupRatio: 1 } };
    expect(consumptionContent({ ...task, task: { action: 'IMAGINE', upstreamId: '42' } })).toBe(
      '模型固定价格 0.10，分组倍率 1.00，操作 IMAGINE，ID 42',
    );
    expect(consumptionContent({ ...task, task: { action: 'MUSIC', upstreamId: '' } })).toBe(
      '模型固定价格 0.10，分组倍率 1.00，操作 MUSIC',
    );
  });
});
