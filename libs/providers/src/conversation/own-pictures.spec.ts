import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest } from '../../test/factories.js';
import type { ClientRequest, JsonObject } from '../adapter.js';
import { findProvider } from '../registry.js';
import type { ConversationCapability } from '../clients/every-client.js';

const GEMINI = 24;
const DRAWN = 'iVBORw0KGgoAAAANSUhEUg==';
const JPEG = '/9j/4AAQSkZJRgABAQ==';

function sent(
  [name, type]: [ConversationCapability, number],
  json: JsonObject,
  { model = 'm', ...details }: Partial<ClientRequest> & { model?: string } = {},
): JsonObject {
  const target = channelTarget({ channelType: type, key: 'k', model, other: 'o' });
  const request = findProvider(type)?.[name]?.toUpstream(clientRequest(json, details), target);
  return JSON.parse(String(request?.body)) as JsonObject;
}

const drawn = (text = 'Here:'): JsonObject[] => [
  { role: 'user', parts: [{ text: 'A cat' }] },
  { role: 'model', parts: [...(text ? [{ text }] : []), { inlineData: { mimeType: 'image/png', data: DRAWN } }] },
  { role: 'user', parts: [{ text: 'Bigger' }] },
];

describe('a picture in a turn of the model', () => {
  const contents = drawn();
  const plain = [
    { role: 'user', content: 'A cat' },
    { role: 'assistant', content: 'Here:' },
    { role: 'user', content: 'Bigger' },
  ];

  it.each([14, 1, 25])('is left out over type %i, which takes none there', (type) => {
    expect(sent(['gemini', type], { contents }).messages).toEqual(plain);
  });

  it('is left out over an upstream of texts alone', () => {
    const { message, chat_history: history } = sent(['gemini', 34], { contents });
    expect([message, history]).toEqual([
      'Bigger',
      [
        { role: 'USER', message: 'A cat' },
        { role: 'CHATBOT', message: 'Here:' },
      ],
    ]);
  });

  it('leaves no empty message behind', () => {
    const asked = { contents: drawn('') };
    expect(sent(['gemini', 14], asked).messages).toEqual([{ role: 'user', content: 'A cat Bigger' }]);
    expect(sent(['gemini', 1], asked).messages).toEqual([plain[0], plain[2]]);
  });

  it('stays where the user shows it', () => {
    const shown = [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/jpeg', data: JPEG } }] }];
    expect(sent(['gemini', 14], { contents: shown }).messages).toMatchObject([{ content: [{ type: 'image' }] }]);
  });
});

describe('a picture of a response that a client sends back', () => {
  const call = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: JPEG };
  const input = [
    { role: 'user', content: 'A cat' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Here:' }] },
    call,
    { role: 'user', content: 'Bigger' },
  ];
  const inline = { inlineData: { mimeType: 'image/jpeg', data: JPEG } };

  it("is a picture of Gemini's turn", () => {
    expect(sent(['responses', GEMINI], { input }).contents).toEqual([
      { role: 'user', parts: [{ text: 'A cat' }] },
      { role: 'model', parts: [{ text: 'Here:' }, inline] },
      { role: 'user', parts: [{ text: 'Bigger' }] },
    ]);
  });

  it('has the signature that stands for none, for models that demand one', () => {
    const { contents } = sent(['responses', GEMINI], { input }, { model: 'gemini-3-pro-image-preview' });
    expect(contents).toMatchObject([
      {},
      { parts: [{ text: 'Here:' }, { ...inline, thoughtSignature: 'skip_thought_signature_validator' }] },
      {},
    ]);
  });

  it('is left out over other upstreams', () => {
    expect(sent(['responses', 14], { input }).messages).toMatchObject([{}, { content: 'Here:' }, {}]);
  });

  it('is refused where it is only named, because nothing is kept here', () => {
    expect(() => sent(['responses', GEMINI], { input: [{ type: 'image_generation_call', id: 'ig_1' }] })).toThrow(
      'field input.0.result is required',
    );
  });
});
