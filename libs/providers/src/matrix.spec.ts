import { describe, expect, it } from '@jest/globals';
import { channelTarget, play, replyContext } from '../test/factories.js';
import { type Case, cases, clients, PICTURE_FORMS, PROMPT, type Read, RESULT, SYSTEM } from '../test/matrix/clients.js';
import { CALL, type Recording, recordingOf, SAID, type Said, TEXT } from '../test/matrix/recordings.js';
import { wholeAsStream } from './clients/whole-as-stream.js';
import {
  type ChannelTarget,
  type Provider,
  RequestRejected,
  type TextAdapter,
  type UpstreamFault,
  type UpstreamRequest,
} from './adapter.js';
import { errorBody, errorFrame } from './faults/error-body.js';
import { classifyError } from './faults/faults.js';
import { findProvider, providers } from './registry.js';

// Tests every client dialect over every provider that serves chat. The pairs are derived from the registry, so that none is forgotten.

type Name = keyof typeof clients;
const names = Object.keys(clients) as Name[];

interface Pair {
  type: number;
  provider: Provider;
  recording: Recording;
  name: Name;
  target: ChannelTarget;
}

const types = Object.keys(providers)
  .map(Number)
  .filter((type) => findProvider(type)?.chat !== undefined);

const pairs = types.flatMap((type) =>
  Object.entries(recordingOf[type] ?? {}).flatMap(([label, recording]) =>
    names.map((name): [string, Pair] => {
      const target = channelTarget({
        channelType: type,
        baseUrl: 'https://up.example',
        other: 'o',
        ...recording.target,
      });
      return [`${name} over ${type} (${label})`, { type, provider: findProvider(type) ?? {}, recording, name, target }];
    }),
  ),
);

function adapterOf({ type, provider, name }: Pair): TextAdapter {
  const adapter = provider[name];
  if (!adapter)
    throw new Error(`channel type ${type} does not serve ${name}: spread everyClient(upstream) in its provider`);
  return adapter;
}

const saidBy = ({ recording, name }: Pair): { whole: Said; stream: Said } =>
  (name === 'responses' && recording.responses) || recording;

const ask = (pair: Pair, what: Case): UpstreamRequest =>
  adapterOf(pair).toUpstream(clients[pair.name].ask(what, pair.target.model), pair.target);

const context = (pair: Pair) =>
  replyContext({ includeUsage: true, model: pair.target.model, upstreamModel: pair.target.model });

/** Reads a whole reply, also as the stream that a client gets of it who asked for one. */
function readWhole(pair: Pair, body: Buffer): Read {
  const { fault, usage: stated, ...reply } = adapterOf(pair).fromReply(body, context(pair));
  expect(fault).toBeUndefined();
  expect(stated).toMatchObject({ outputTokens: 10 });
  if (!stated) throw new Error('no usage was stated');
  const { dialect, read, readStream } = clients[pair.name];
  const whole = read(reply.body);
  expect(readStream(wholeAsStream(dialect, reply.body, context(pair), stated).toString())).toEqual(whole);
  return whole;
}

function readStreamed(pair: Pair, bytes: Buffer): Read {
  const read = [[], [1, 7, 64, 3]].map((sizes) => {
    const stream = adapterOf(pair).openStream(context(pair));
    const frames = play(stream, bytes, sizes);
    expect([stream.fault, stream.isComplete]).toEqual([undefined, true]);
    expect(stream.usage()).toMatchObject({ outputTokens: 10 });
    return clients[pair.name].readStream(frames);
  });
  expect(read[1]).toEqual(read[0]);
  if (!read[0]) throw new Error('nothing was read');
  return read[0];
}

const usage: Read['usage'] = [21, 10];
const spoken = ({ name }: Pair): Read => ({ text: TEXT, calls: [], finish: clients[name].ends.text, usage });
const called = ({ name }: Pair): Read => ({ text: '', calls: [CALL], finish: clients[name].ends.call, usage });

/** Apps of Dify and bots of Coze, whose inputs only an override can state. */
const TAKE_ALL_OVERRIDES = [37, 49];

const lacks = ({ recording }: Pair, what: 'tools' | 'image'): boolean => recording.lacks?.includes(what) === true;

/** Some upstreams state an error in a reply with status 200. */
function faultOf(pair: Pair): UpstreamFault | undefined {
  const { provider, recording, type } = pair;
  const { status, body, headers = {} } = recording.error;
  if (status === 200) return adapterOf(pair).fromReply(Buffer.from(body), context(pair)).fault;
  return classifyError({ status, body: provider.readError?.(body, headers) ?? body, channelType: type });
}

describe('the matrix of clients and providers', () => {
  it.each(types)('has a recording of channel type %d', (type) => {
    if (recordingOf[type]) return;
    throw new Error(
      `channel type ${type} serves chat and has no recording: name it in recordingOf of libs/providers/test/matrix/recordings.ts, ` +
        'by a recording that is there or by one of its own dialect (a text, a call of a tool, an error; what it lacks)',
    );
  });

  it('knows all clients that a provider serves, and no provider that is gone', () => {
    expect(Object.keys(recordingOf).map(Number)).toEqual(types);
    expect(cases).toHaveLength(4);
  });

  it.each(pairs)('%s: whole', (_, pair) => {
    const { body } = ask(pair, 'whole');
    for (const words of [SYSTEM, PROMPT]) expect(body?.toString()).toContain(words);
    expect(readWhole(pair, saidBy(pair).whole.text)).toEqual(spoken(pair));
  });

  it.each(pairs)('%s: stream', (_, pair) => {
    const { body } = ask(pair, 'stream');
    for (const words of [SYSTEM, PROMPT]) expect(body?.toString()).toContain(words);
    expect(readStreamed(pair, saidBy(pair).stream.text)).toEqual(spoken(pair));
  });

  it.each(pairs)('%s: tools', (_, pair) => {
    if (lacks(pair, 'tools')) return expect(() => ask(pair, 'tools')).toThrow(RequestRejected);
    const { body } = ask(pair, 'tools');
    for (const words of [PROMPT, CALL.name, 'city', RESULT]) expect(body?.toString()).toContain(words);
    const { whole, stream } = saidBy(pair);
    if (!whole.call || !stream.call) throw new Error('a recording of a call is missing');
    expect(readWhole(pair, whole.call)).toEqual(called(pair));
    expect(readStreamed(pair, stream.call)).toEqual(called(pair));
  });

  it.each(pairs)('%s: image', (_, pair) => {
    if (lacks(pair, 'image')) return expect(() => ask(pair, 'image')).toThrow(RequestRejected);
    const sent = ask(pair, 'image').body?.toString() ?? '';
    expect(PICTURE_FORMS.some((form) => sent.includes(form))).toBe(true);
  });

  it.each(pairs)('%s: the limit of the answer, unless none can be said', (_, pair) => {
    const isSaid = /:50\b/.test(ask(pair, 'whole').body?.toString() ?? '');
    expect(isSaid).toBe(pair.provider.heedsNoLimit !== true);
  });

  it.each(pairs)("%s: the channel's parameter override, for clients of OpenAI's dialects", (_, pair) => {
    const target = { ...pair.target, paramOverride: { marker: 7 } };
    const isPut = ask({ ...pair, target }, 'whole')
      .body?.toString()
      .includes('"marker":7');
    const isOfOpenAi = pair.name === 'chat' || pair.name === 'responses';
    expect(isPut).toBe(isOfOpenAi || TAKE_ALL_OVERRIDES.includes(pair.type));
  });

  it.each(pairs)('%s: error', (_, pair) => {
    const { name } = pair;
    const fault = faultOf(pair);
    if (!fault) throw new Error('the error was taken for an answer');
    expect(fault).toMatchObject({ class: 'invalid', message: SAID });
    const { dialect } = clients[name];
    const told = [JSON.stringify(errorBody(dialect, fault, 'r1', 400)), errorFrame(dialect, fault, 'r1').toString()];
    for (const text of told) expect(text).toContain(`${SAID} (request id: r1)`);
  });
});
