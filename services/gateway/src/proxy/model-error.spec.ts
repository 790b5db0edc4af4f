import { describe, expect, it } from '@jest/globals';
import { unavailableBody } from './model-error.js';

describe('the body of a call whose service cannot be reached', () => {
  const message = '服务暂不可用，请稍后重试';
  const named = `${message} (request id: r1)`;

  it.each<[string, object]>([
    [
      '/v1beta/models/gemini-2.0-flash:generateContent',
      { error: { code: 503, message: named, status: 'UNAVAILABLE' } },
    ],
    ['/mj/submit/imagine', { description: named, type: 'upstream_error', code: 4 }],
    ['/mj-fast/mj/submit/imagine', { description: named, type: 'upstream_error', code: 4 }],
    ['/suno/submit/music', { code: 'service_unreachable', message: named, data: null }],
  ])('is of the dialect of %s', (url, body) => {
    expect(unavailableBody(url, 'r1', 'relay')).toEqual(body);
  });

  it.each(['/api/token/?p=1', '/v1/chat/completions', '/v1/messages', '/v1beta/openai/models'])(
    'can be read by clients of the console, of OpenAI and of Anthropic: %s',
    (url) => {
      expect(unavailableBody(url, 'r1', 'relay')).toEqual({
        ...{ success: false, message, code: 'service-unreachable', kind: 'unavailable', params: { service: 'relay' } },
        ...{ type: 'error', error: { message: named, type: 'new_api_error', param: '', code: 'service-unreachable' } },
      });
    },
  );
});
