import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, replyContext } from '../../test/factories.js';
import type { ClientForm, Reply } from '../adapter.js';
import { findProvider } from '../registry.js';
import { soundTokens, transcriptionReply } from './transcription.js';

const reply = (body: string, contentType = 'application/json'): Reply =>
  transcriptionReply(Buffer.from(body), replyContext({ headers: { 'content-type': contentType } }));

describe('the tokens of a sound', () => {
  it.each([
    [0, 0],
    [0.2, 17],
    [60, 1000],
    [61.2, 1033],
  ])('of %d seconds are %d', (seconds, tokens) => {
    expect(soundTokens(seconds)).toBe(tokens);
  });
});

describe('what a transcription has used', () => {
  it('is what the upstream counts: tokens, or the length', () => {
    const details = { text_tokens: 4, audio_tokens: 10 };
    const usage = {
      type: 'tokens',
      input_tokens: 14,
      output_tokens: 3,
      total_tokens: 17,
      input_token_details: details,
    };
    const byTokens = reply(JSON.stringify({ text: 'x', duration: 99, usage }));
    expect([byTokens.usage?.outputTokens, byTokens.isByLength]).toEqual([3, undefined]);
    const byLength = reply(JSON.stringify({ text: 'x', duration: 99, usage: { type: 'duration', seconds: 62 } }));
    expect(byLength).toMatchObject({ usage: { inputTokens: 1033, outputTokens: 0 }, isByLength: true });
  });

  it('is the length that is told beside the words, as a number or as a text', () => {
    expect(reply('{"text":"x","duration":61.2}')).toMatchObject({ usage: { inputTokens: 1033 }, isByLength: true });
    expect(reply('{"text":"x","duration":"61.20"}').usage).toMatchObject({ inputTokens: 1033 });
    expect(reply('{"text":"x","duration":"long"}').usage).toBeUndefined();
    expect(reply('{"text":"x","duration":-1}').usage).toBeUndefined();
  });

  it('is the end of the last subtitle', () => {
    const srt = '1\n00:00:00,000 --> 00:00:09,000\na\n\n2\n00:00:09,000 --> 01:00:00,500\nb\n';
    expect(reply(srt, 'application/x-subrip')).toMatchObject({
      contentType: 'application/x-subrip',
      isByLength: true,
      usage: { inputTokens: soundTokens(3600.5) },
    });
    expect(reply('WEBVTT\n\n00:01.000 --> 00:59.900\nx', 'text/vtt').usage).toMatchObject({ inputTokens: 1000 });
  });

  it('is unknown for plain text, which is counted here', () => {
    const plain = reply('hello there', 'text/plain; charset=utf-8');
    expect([plain.usage, plain.fault, plain.text().text]).toEqual([undefined, undefined, 'hello there']);
  });
});

describe('a reply that is no transcription', () => {
  it('is a fault', () => {
    expect(reply('{"error":{"message":"no","type":"invalid_request_error"}}').fault).toMatchObject({ message: 'no' });
    expect(reply('{"words":1}').fault).toMatchObject({ code: 'unmarshal_response_body_failed' });
    expect(reply('<html>').fault).toMatchObject({ code: 'unmarshal_response_body_failed' });
    const page = '\n<!DOCTYPE html><html>Bad gateway</html>';
    expect(reply(page, 'text/html').fault).toMatchObject({ code: 'unmarshal_response_body_failed' });
    expect(reply(page, 'Text/HTML').fault).toMatchObject({ code: 'unmarshal_response_body_failed' });
    expect(reply('no', 'Application/JSON').fault).toMatchObject({ code: 'unmarshal_response_body_failed' });
    // Some servers call everything HTML.
    expect(reply('hello there', 'text/html').fault).toBeUndefined();
  });
});

describe('a transcription is asked for', () => {
  const form: ClientForm = {
    with: (fields) => ({
      headers: { 'content-type': `multipart/form-data; model=${fields.get('model')}` },
      upload: (async function* () {})(),
    }),
    file: () => ({ headers: {}, upload: (async function* () {})() }),
  };
  const asked = (type: number, details: object = {}) =>
    findProvider(type)?.transcriptions?.toUpstream(
      clientRequest({ model: 'm' }, { form }),
      channelTarget({ channelType: type, model: 'm1.5', ...details }),
    );

  it("by the channel's form, under its name of the model and with its key", () => {
    expect(asked(1)).toMatchObject({
      url: 'https://api.openai.com/v1/audio/transcriptions',
      headers: {
        'content-type': 'multipart/form-data; model=m1.5',
        authorization: 'Bearer sk-upstream',
        accept: '*/*',
      },
    });
    expect(asked(3, { baseUrl: 'https://me.openai.azure.com', other: 'v' })?.url).toBe(
      'https://me.openai.azure.com/openai/deployments/m1.5/audio/transcriptions?api-version=v',
    );
  });

  it('of no type that has no such form', () => {
    for (const type of [4, 8, 14, 26, 33, 43]) expect(findProvider(type)?.transcriptions).toBeUndefined();
  });
});
