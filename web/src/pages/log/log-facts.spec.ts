import { describe, expect, it } from '@jest/globals';
import type { Log, LogOther } from '@tollgate/contracts/api/log';
import { billOf, doubtOf, firstTokenColor, firstTokenOf, money, otherOf, durationColor } from './log-facts.js';

const log = { type: 2, prompt_tokens: 1000, completion_tokens: 200, other: '' } as Log;
const ratios: LogOther = {
  model_ratio: 1.25,
  completion_ratio: 4,
  group_ratio: 0.5,
  cache_ratio: 0.5,
  model_price: -1,
};

describe('doubtOf', () => {
  it.each<[LogOther, ReturnType<typeof doubtOf>]>([
    [{ usage_source: 'upstream' }, undefined],
    [{ usage_source: 'upstream', usage_doubt: 'implausible' }, 'cut'],
    [{ usage_source: 'estimated', usage_doubt: 'implausible' }, 'implausible'],
    // A session has numbers of several answers, and those in doubt are not among them.
    [{ usage_source: 'upstream', usage_doubt: 'implausible', ws: true }, 'implausible'],
    [{ usage_source: 'estimated', usage_doubt: 'unrateable' }, 'unrateable'],
  ])('tells numbers that were cut from those that were replaced: %j', (other, doubt) => {
    expect(doubtOf(other)).toBe(doubt);
  });
});

describe('billOf', () => {
  it('repeats the formula of the spec', () => {
    const bill = billOf(log, ratios, 500_000);
    // (1000 + 200 × 4) × 1.25 × 0.5 = 1125 units; / 500000 = $0.00225
    expect(bill).toMatchObject({ kind: 'tokens', units: 1125, total: 0.00225 });
    expect(bill?.kind === 'tokens' && bill.parts.map(({ kind, tokens, price }) => [kind, tokens, price])).toEqual([
      ['input', 1000, 2.5],
      ['completion', 200, 10],
    ]);
  });

  it('takes cached tokens out of an OpenAI prompt, and not out of an Anthropic one', () => {
    const cached = { ...ratios, cache_tokens: 400 };
    // (600 + 400 × 0.5 + 800) × 1.25 × 0.5 = 1000
    expect(billOf(log, cached, 500_000)).toMatchObject({ units: 1000 });
    // (1000 + 200 + 800) × 0.625 = 1250
    expect(billOf(log, { ...cached, claude: true }, 500_000)).toMatchObject({ units: 1250 });
  });

  it('prices what is cached for an hour at twice the input', () => {
    const written = { cache_creation_tokens: 500, cache_creation_ratio: 1.25, cache_creation_tokens_1h: 300 };
    // (1000 + 200 × 1.25 + 300 × 2 + 200 × 4) × 0.625 = 1656.25
    const bill = billOf(log, { ...ratios, claude: true, ...written }, 500_000);
    expect(bill).toMatchObject({ units: 1656 });
    expect(bill?.kind === 'tokens' && bill.parts.map(({ kind, tokens, price }) => [kind, tokens, price])).toEqual([
      ['input', 1000, 2.5],
      ['creation', 200, 3.125],
      ['creationHour', 300, 5],
      ['completion', 200, 10],
    ]);
  });

  it('prices a call by its fixed price', () => {
    expect(billOf(log, { ...ratios, model_price: 0.04 }, 500_000)).toEqual({
      kind: 'call',
      price: 0.04,
      group: 0.5,
      total: 0.02,
      units: 10_000,
    });
  });

  it('prices a task, which has no tokens, as the one call it is, and nothing where nothing was asked for', () => {
    const task = { ...log, prompt_tokens: 0, completion_tokens: 0, quota: 10_000 };
    const other: LogOther = { ...ratios, model_price: 0.04, usage_source: 'requested' };
    expect(billOf(task, other, 500_000)).toMatchObject({ total: 0.02, units: 10_000 });
    expect(billOf({ ...task, quota: 0 }, other, 500_000)).toMatchObject({ total: 0, units: 0 });
  });

  it('prices audio and pictures by their own ratios, and plain text beside them', () => {
    const audio = { audio: true, audio_input: 300, audio_output: 50, text_input: 700, text_output: 150 };
    // (700 + 150 × 4 + 300 × 2 + 50 × 2 × 3) × 1.25 × 0.5 = 1375
    const spoken = billOf(log, { ...ratios, ...audio, audio_ratio: 2, audio_completion_ratio: 3 }, 500_000);
    expect(spoken).toMatchObject({ units: 1375 });
    expect(spoken?.kind === 'tokens' && spoken.parts.map(({ kind }) => kind)).toEqual([
      'input',
      'completion',
      'audioInput',
      'audioOutput',
    ]);
    // (900 + 100 × 1.6 + 800) × 0.625 = 1162.5, rounded away from zero
    const seen = billOf(log, { ...ratios, image: true, image_ratio: 1.6, image_output: 100 }, 500_000);
    expect(seen).toMatchObject({ units: 1163 });
  });

  it('charges at least one unit for what was used at a price', () => {
    const tiny = { ...log, prompt_tokens: 1, completion_tokens: 0 };
    expect(billOf(tiny, { ...ratios, model_ratio: 0.001 }, 500_000)).toMatchObject({ units: 1 });
  });

  it('bills nothing that was not consumed', () => {
    expect(billOf({ ...log, type: 5 }, ratios, 500_000)).toBeUndefined();
    expect(billOf(log, {}, 500_000)).toBeUndefined();
  });
});

describe('log facts', () => {
  it('reads what there is', () => {
    expect(otherOf({ ...log, other: 'null' })).toEqual({});
    expect(otherOf({ ...log, other: '{' })).toEqual({});
    expect(firstTokenOf({ frt: -1000 })).toBeUndefined();
    expect(firstTokenOf({ frt: 1234 })).toBe(1.234);
  });

  it('colours times by the steps of the spec', () => {
    expect([100, 101, 300].map(durationColor)).toEqual(['green', 'orange', 'red']);
    expect([2.9, 3, 10].map(firstTokenColor)).toEqual(['green', 'orange', 'red']);
  });

  it('prints no floating tail', () => {
    expect(money(0.1 + 0.2)).toBe('$0.3');
  });
});
