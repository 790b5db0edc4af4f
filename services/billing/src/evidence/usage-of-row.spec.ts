import { describe, expect, it } from '@jest/globals';
import type { Log } from '@tollgate/contracts/api/log';
import { otherOf, usageOfRow } from './usage-of-row.js';

const row = (change: Partial<Log> = {}): Log => ({
  ...{
    id: 1,
    user_id: 1,
    created_at: 1,
    type: 2,
    content: '',
    username: '',
    token_name: '',
    model_name: 'm',
    quota: 5,
  },
  ...{ prompt_tokens: 100, completion_tokens: 20, use_time: 1, is_stream: false, channel: 1, channel_name: '' },
  ...{ token_id: 0, group: 'default', other: '' },
  ...change,
});

describe('usageOfRow', () => {
  it('subtracts cached tokens from the prompt of OpenAI, but not of Anthropic', () => {
    expect(usageOfRow(row(), { cache_tokens: 30 })).toMatchObject({ inputTokens: 70, cacheReadTokens: 30 });
    const anthropic = { claude: true, cache_tokens: 30, cache_creation_tokens: 9, cache_creation_tokens_1h: 4 };
    expect(usageOfRow(row(), anthropic)).toMatchObject({
      ...{
        semantics: 'anthropic',
        inputTokens: 100,
        cacheReadTokens: 30,
        cacheWriteTokens: 9,
        cacheWriteHourTokens: 4,
      },
    });
  });

  it('separates sound and pictures from text', () => {
    expect(usageOfRow(row(), { audio: true, audio_input: 60, audio_output: 15 })).toMatchObject({
      ...{ inputTokens: 40, audioInputTokens: 60, outputTokens: 5, audioOutputTokens: 15 },
    });
    expect(usageOfRow(row(), { image: true, image_output: 25 })).toMatchObject({
      inputTokens: 75,
      imageInputTokens: 25,
    });
    const searched = { web_search: true, web_search_call_count: 2, web_search_context_size: 'high' as const };
    expect(usageOfRow(row(), searched)).toMatchObject({ searches: { web: 2, webContext: 'high' } });
    const google = { web_search: true, web_search_call_count: 2, google_search: true };
    expect(usageOfRow(row(), google).searches).toEqual({ google: 2 });
  });

  it('counts a task as one unit', () => {
    expect(usageOfRow(row({ prompt_tokens: 0, completion_tokens: 0 }), {}).inputTokens).toBe(1);
    expect(usageOfRow(row({ prompt_tokens: 0, completion_tokens: 0, quota: 0 }), {}).inputTokens).toBe(0);
  });

  it('treats unreadable details as empty', () => {
    expect([otherOf({ other: '' }), otherOf({ other: '{' })]).toEqual([{}, {}]);
  });
});
