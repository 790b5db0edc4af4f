import { describe, expect, it } from '@jest/globals';
import { dataOf, play, replyContext } from '../../test/factories.js';
import type { JsonObject } from '../adapter.js';
import { openAiCompatible } from '../upstreams/openai-compatible.js';
import { citationsIn } from './citations.js';

const { messages, responses, gemini } = openAiCompatible({
  defaultBaseUrl: 'https://api.example.com',
  streamUsage: 'ask',
});
const cited = (start: number, end: number, url: string, title: string): JsonObject => ({
  type: 'url_citation',
  url_citation: { start_index: start, end_index: end, url, title },
});
const [first, second] = ['https://a.example/?x=1', 'https://b.example/'];
const annotations = [cited(0, 4, first, 'Älteste'), cited(5, 9, second, '')];
const text = 'Über alle.';

const whole = {
  id: 'c1',
  model: 'gpt-4o-search-preview',
  choices: [{ index: 0, message: { role: 'assistant', content: text, annotations }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 4 },
};
const chunk = (delta: JsonObject, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const streamed = Buffer.from(
  [
    ...[chunk({ role: 'assistant', content: '' }), chunk({ content: 'Über ' }), chunk({ content: 'alle.' })],
    ...[chunk({ annotations }), chunk({}, 'stop'), 'data: [DONE]\n\n'],
  ].join(''),
);

type Client = typeof messages | typeof responses | typeof gemini;
const answer = (client: Client): JsonObject =>
  JSON.parse(String(client.fromReply(Buffer.from(JSON.stringify(whole)), replyContext()).body)) as JsonObject;
const stream = (client: Client): JsonObject[] =>
  dataOf(play(client.openStream(replyContext()), streamed, [40, 1, 333]));
const pages = [
  { start_index: 0, end_index: 4, title: 'Älteste', url: first, type: 'url_citation' },
  { start_index: 5, end_index: 9, title: '', url: second, type: 'url_citation' },
];

describe('the sources of an answer that was searched for', () => {
  it('reach clients of messages', () => {
    const location = { type: 'web_search_result_location', encrypted_index: '' };
    expect(answer(messages).content).toEqual([
      {
        ...{ type: 'text', text },
        citations: [
          { ...location, cited_text: 'Über', title: 'Älteste', url: first },
          { ...location, cited_text: 'alle', title: '', url: second },
        ],
      },
    ]);
    const events = stream(messages);
    expect(events.filter(({ type }) => type === 'content_block_start')).toHaveLength(1);
    expect(events.map(({ delta }) => delta as JsonObject | undefined).filter((delta) => delta?.citation)).toEqual([
      { type: 'citations_delta', citation: { ...location, cited_text: '', title: 'Älteste', url: first } },
      { type: 'citations_delta', citation: { ...location, cited_text: '', title: '', url: second } },
    ]);
  });

  it('reach clients of responses, each in its event and all at the end', () => {
    const contentOf = (response: JsonObject): JsonObject[] =>
      (response.output as { content: JsonObject[] }[]).flatMap(({ content }) => content);
    expect(contentOf(answer(responses))).toEqual([{ type: 'output_text', annotations: pages, logprobs: [], text }]);
    const events = stream(responses);
    const added = events.filter(({ type }) => type === 'response.output_text.annotation.added');
    expect(added.map(({ annotation }) => annotation)).toEqual(pages);
    expect(added.map(({ annotation_index: index, content_index: part }) => [part, index])).toEqual([
      [0, 0],
      [0, 1],
    ]);
    const order = events.map(({ type }) => String(type).replace('response.', ''));
    expect(order.indexOf('output_text.annotation.added')).toBeGreaterThan(order.lastIndexOf('output_text.delta'));
    expect(order.indexOf('output_text.done')).toBeGreaterThan(order.lastIndexOf('output_text.annotation.added'));
    expect(contentOf(events.at(-1)?.response as JsonObject)).toEqual(contentOf(answer(responses)));
    expect(events.map(({ sequence_number: place }) => place)).toEqual(events.map((_, place) => place));
  });

  it("reach Google's clients, in bytes", () => {
    const chunks = [{ web: { uri: first, title: 'Älteste' } }, { web: { uri: second, title: '' } }];
    const [candidate] = answer(gemini).candidates as JsonObject[];
    expect(candidate?.groundingMetadata).toEqual({
      groundingChunks: chunks,
      groundingSupports: [
        { segment: { startIndex: 0, endIndex: 5, text: 'Über' }, groundingChunkIndices: [0] },
        { segment: { startIndex: 6, endIndex: 10, text: 'alle' }, groundingChunkIndices: [1] },
      ],
    });
    const [last] = stream(gemini).at(-1)?.candidates as JsonObject[];
    expect([last?.finishReason, last?.groundingMetadata]).toEqual(['STOP', { groundingChunks: chunks }]);
  });

  it('are none where there are none, or what is said of them is none', () => {
    expect(citationsIn([null, 5, { url_citation: { url: '' } }, { type: 'file_citation' }])).toEqual([]);
    expect(citationsIn('x')).toEqual([]);
    expect(citationsIn([{ url_citation: { url: 'u', start_index: -1, end_index: 'x' } }])).toEqual([
      { url: 'u', title: '', start: 0, end: 0 },
    ]);
  });
});
