import { describe, expect, it } from '@jest/globals';
import { channelTarget, clientRequest, replyContext } from '../../test/factories.js';
import type { ClientRequest, JsonObject } from '../adapter.js';
import { runsAt } from '../by-model.js';
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

describe('a picture in a text that a client got and sends back', () => {
  const text = `Here:\n![image](data:image/png;base64,${DRAWN})\nand ![image](data:image/jpeg;base64,${JPEG})`;
  const messages = [
    { role: 'user', content: 'A cat' },
    { role: 'assistant', content: text },
    { role: 'user', content: 'Bigger' },
  ];
  const block = (said: string, marks: JsonObject = {}): JsonObject => ({ type: 'text', text: said, ...marks });
  const inBlocks = [messages[0] ?? {}, { role: 'assistant', content: [block(text)] }, messages[2] ?? {}];
  const read = [
    { text: 'Here:\n' },
    { inlineData: { mimeType: 'image/png', data: DRAWN } },
    { text: '\nand ' },
    { inlineData: { mimeType: 'image/jpeg', data: JPEG } },
  ];

  it.each<[string, ConversationCapability, JsonObject[]]>([
    ['chat', 'chat', messages],
    ['chat, in parts', 'chat', inBlocks],
    ['messages', 'messages', messages],
    ['messages, in blocks', 'messages', inBlocks],
  ])("is a picture of Gemini's turn, of clients of %s", (_, name, asked) => {
    expect(sent([name, GEMINI], { messages: asked }).contents).toEqual([
      { role: 'user', parts: [{ text: 'A cat' }] },
      { role: 'model', parts: read },
      { role: 'user', parts: [{ text: 'Bigger' }] },
    ]);
  });

  it('is what the client was given', () => {
    const body = { candidates: [{ content: { parts: read }, finishReason: 'STOP' }] };
    const answer = findProvider(GEMINI)?.chat?.fromReply(Buffer.from(JSON.stringify(body)), replyContext()).body;
    const { choices } = JSON.parse(String(answer)) as { choices: [{ message: JsonObject }] };
    const { contents } = sent(['chat', GEMINI], { messages: [...messages.slice(0, 1), choices[0].message] });
    const pictures = (contents as { parts: JsonObject[] }[])[1]?.parts.filter(({ inlineData }) => inlineData);
    expect(pictures).toEqual([read[1], read[3]]);
  });

  it.each<[ConversationCapability, number]>([
    ['chat', 14],
    ['messages', 1],
    ['messages', 25],
    ['chat', 34],
  ])('is left out for clients of %s over type %i', (name, type) => {
    const written = JSON.stringify(sent([name, type], { messages }));
    expect(written).toContain('Here:');
    expect(written).not.toContain('base64');
  });

  it.each<[ConversationCapability, number, string | undefined]>([
    ['chat', GEMINI, 'pictures'],
    ['chat', 14, 'nothing'],
    ['messages', 1, 'nothing'],
    ['chat', 1, undefined],
    ['messages', 14, undefined],
  ])('is counted as it was sent for clients of %s over type %i', (name, type, pictureTexts) => {
    const adapter = findProvider(type)?.[name];
    const asked = clientRequest({ messages, max_tokens: 9 });
    expect(adapter?.toUpstream(asked, channelTarget({ channelType: type })).pictureTexts).toBe(pictureTexts);
    expect(runsAt(adapter?.convertsPictureTexts, 'm')).toBe(pictureTexts !== undefined);
  });

  it('leaves the mark of a cache behind its text', () => {
    const marks = { cache_control: { type: 'ephemeral' } };
    const marked = [messages[0] ?? {}, { role: 'assistant', content: [block(text, marks)] }, messages[2] ?? {}];
    expect(sent(['chat', 14], { messages: marked }).messages).toMatchObject([
      {},
      { content: [block('Here:\n'), block('\nand ', marks)] },
      {},
    ]);
  });

  it.each<ConversationCapability>(['chat', 'messages'])('stays text where a user of %s writes it', (name) => {
    const asked = { messages: [{ role: 'user', content: text }] };
    expect(sent([name, GEMINI], asked).contents).toEqual([{ role: 'user', parts: [{ text }] }]);
  });

  it('stays text where its data are no picture that upstreams take', () => {
    const drawn = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64');
    const said = `Here: ![image](data:image/svg+xml;base64,${drawn})`;
    const asked = { messages: [messages[0] ?? {}, { role: 'assistant', content: said }, messages[2] ?? {}] };
    expect(sent(['chat', GEMINI], asked).contents).toMatchObject([{}, { role: 'model', parts: [{ text: said }] }, {}]);
  });

  it("stays the client's own bytes over an upstream of its dialect", () => {
    expect(sent(['chat', 1], { messages }).messages).toEqual(messages);
    expect(sent(['messages', 14], { messages, max_tokens: 9 }).messages).toEqual(messages);
  });
});
