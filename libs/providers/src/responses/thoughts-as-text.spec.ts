import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dataOf, play, replyContext } from '../../test/factories.js';
import type { Json, JsonObject, ReplyContext } from '../adapter.js';
import { objectOf } from '../json/json.js';
import { findProvider } from '../registry.js';

const native = findProvider(1)?.responses;
if (!native) throw new Error('type 1 has no responses');
const told = replyContext({ setting: { thinking_to_content: true } });

const thought = (id: string, ...texts: string[]): JsonObject => ({
  ...{ id, type: 'reasoning', encrypted_content: 'sealed' },
  summary: texts.map((text) => ({ type: 'summary_text', text })),
});
const call: JsonObject = {
  ...{ id: 'fc_1', type: 'function_call', status: 'completed' },
  ...{ call_id: 'c1', name: 'find', arguments: '{}' },
};
const usage = {
  ...{ input_tokens: 5, output_tokens: 9, total_tokens: 14 },
  ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 4 } },
};

/** The events of an upstream for a response: the thought in pieces, other items complete. */
function events(output: JsonObject[], end = 'completed'): JsonObject[] {
  const response = { id: 'resp_1', object: 'response', model: 'gpt-4o-mini' };
  const items = output.flatMap((item, output_index) => {
    const parts = (item.summary ?? []) as JsonObject[];
    const at = { item_id: item.id ?? null, output_index };
    const pieces = parts.flatMap((part, summary_index) => {
      const place = { ...at, summary_index };
      const text = String(part.text);
      const deltas = [text.slice(0, 1), text.slice(1)].map((delta) => ({
        ...{ type: 'response.reasoning_summary_text.delta', ...place, delta },
      }));
      return [
        { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
        ...deltas,
        { type: 'response.reasoning_summary_text.done', ...place, text },
        { type: 'response.reasoning_summary_part.done', ...place, part },
      ];
    });
    const begun = item.type === 'reasoning' ? { ...item, summary: [] } : item;
    return [
      { type: 'response.output_item.added', output_index, item: begun },
      ...pieces,
      { type: 'response.output_item.done', output_index, item },
    ];
  });
  return [
    { type: 'response.created', response: { ...response, output: [] } },
    ...items,
    { type: `response.${end}`, response: { ...response, status: end, output, usage } },
  ].map((event, sequence_number) => ({ ...event, sequence_number }) as JsonObject);
}

const bytesOf = (list: JsonObject[]): Buffer =>
  Buffer.from(list.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join(''));

const heard = (list: JsonObject[], context: ReplyContext = told, sizes: number[] = []): JsonObject[] =>
  dataOf(play(native.openStream(context), bytesOf(list), sizes));

const ended = (list: JsonObject[]): JsonObject[] => objectOf(list.at(-1)?.response).output as JsonObject[];
const doneItems = (list: JsonObject[]): Json[] =>
  list.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item ?? null);

describe('thoughts told as text to clients of responses, over an upstream that has responses', () => {
  const output = [thought('rs_1', 'First', 'Second'), call];

  it('stand before the thought as a message, and the thought says nothing but stays', () => {
    const list = heard(events(output));
    expect(ended(list)).toEqual([
      {
        ...{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant' },
        content: [{ type: 'output_text', annotations: [], logprobs: [], text: '<think>\nFirst\n\nSecond\n</think>\n' }],
      },
      { id: 'rs_1', type: 'reasoning', encrypted_content: 'sealed', summary: [] },
      call,
    ]);
    expect(doneItems(list)).toEqual(ended(list));
    expect(JSON.stringify(list)).not.toContain('summary_text');
  });

  it('come in pieces as they are thought', () => {
    const pieces = heard(events(output)).filter(({ type }) => type === 'response.output_text.delta');
    expect(pieces.map(({ delta }) => delta)).toEqual(['<think>\n', 'F', 'irst', '\n\nS', 'econd', '\n</think>\n']);
    expect(new Set(pieces.map(({ item_id: id, output_index: place }) => `${String(id)} ${String(place)}`))).toEqual(
      new Set(['msg_1 0']),
    );
  });

  it('are in a whole response as well, whose other bytes stay', () => {
    const body = Buffer.from(`{"id": "resp_1", "big": 12345678901234567890, "output": ${JSON.stringify(output)}}`);
    const reply = native.fromReply(body, told).body.toString();
    expect(reply).toContain('{"id": "resp_1", "big": 12345678901234567890, "output": ');
    expect((JSON.parse(reply) as { output: Json }).output).toEqual(ended(heard(events(output))));
  });

  it('that come whole at their end are told too, and those of raw text', () => {
    const whole = events(output).filter(({ type }) => !String(type).startsWith('response.reasoning'));
    expect(doneItems(heard(whole))).toEqual(ended(heard(events(output))));
    const raw = events([thought('rs_1', 'Hm')]).map((event) =>
      event.type === 'response.reasoning_summary_text.delta'
        ? { ...event, type: 'response.reasoning_text.delta', content_index: 0 }
        : event,
    );
    expect(doneItems(heard(raw))[0]).toMatchObject({ content: [{ text: '<think>\nHm\n</think>\n' }] });
  });

  it('that say nothing go on as they are, as does everything without the setting', () => {
    const silent = events([thought('rs_1'), call]);
    expect(heard(silent)).toEqual(silent);
    expect(play(native.openStream(replyContext()), bytesOf(events(output)))).toBe(bytesOf(events(output)).toString());
  });

  it('end with a response that ends in the middle of one', () => {
    const whole = events([thought('rs_1', 'Hm')], 'incomplete');
    const cut = whole.filter(({ type }) => !String(type).endsWith('.done'));
    const list = heard(cut);
    const types = list.map(({ type }) => String(type).replace('response.', ''));
    expect(types.slice(-4)).toEqual(['content_part.done', 'output_item.done', 'output_item.added', 'incomplete']);
    expect(doneItems(list)).toMatchObject([{ status: 'incomplete' }]);
  });

  it('leave usage and the counted text as they are', () => {
    const streams = [told, replyContext()].map((context) => {
      const stream = native.openStream(context);
      play(stream, bytesOf(events(output)));
      return { usage: stream.usage(), text: stream.text(), isComplete: stream.isComplete };
    });
    expect(streams[0]).toEqual(streams[1]);
  });

  it('end the stream when an endless one is more than may be kept', () => {
    const stream = native.openStream(told);
    const [created, added] = events([thought('rs_1', 'x')]);
    stream.push(bytesOf([created ?? {}, added ?? {}]));
    const delta = 'x'.repeat(4 * 1024 * 1024);
    const piece = bytesOf([{ type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta }]);
    for (let nth = 0; nth < 5; nth += 1) stream.push(piece);
    expect(stream.fault?.code).toBe('read_response_body_failed');
    expect(stream.isComplete).toBe(false);
    stream.dispose();
  });

  it('keep numbers and places in order, however the bytes are cut and whatever is thought', () => {
    const item = fc.oneof(
      fc.array(fc.constantFrom('a', 'bc', 'd e'), { maxLength: 3 }).map((texts) => thought('', ...texts)),
      fc.constant(call),
    );
    fc.assert(
      fc.property(fc.array(item, { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 400 })), (items, sizes) => {
        const named = items.map((one, index) => ({ ...one, id: `${one === call ? 'fc' : 'rs'}_${index}` }));
        const list = heard(events(named), told, sizes);
        expect(list.map(({ sequence_number: place }) => place)).toEqual(list.map((_, index) => index));
        const begun = list.filter(({ type }) => type === 'response.output_item.added');
        expect(begun.map(({ output_index: place }) => place)).toEqual(begun.map((_, index) => index));
        expect(doneItems(list)).toEqual(ended(list));
      }),
    );
  });
});
