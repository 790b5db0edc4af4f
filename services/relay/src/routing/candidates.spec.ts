import { describe, expect, it } from '@jest/globals';
import type { RoutedChannel } from '@tollgate/contracts';
import {
  ableChannels,
  haveOwnContext,
  convertPictureTexts,
  heedNoLimit,
  modelNames,
  overridesIn,
  readUnchanged,
  runsGoogleTools,
  searchingChannels,
  sentNames,
} from './candidates.js';

const OPENAI = 1;
const NO_SUCH_TYPE = 9999;

const channel = (id: number, more: Partial<RoutedChannel> = {}): RoutedChannel =>
  ({ id, type: OPENAI, modelMapping: {}, paramOverride: {}, ...more }) as RoutedChannel;

describe('facts about a list of channels', () => {
  it('are computed once, however many requests there are', () => {
    let looks = 0;
    const watched = Array.from({ length: 1000 }, (_, id) =>
      Object.defineProperty(channel(id), 'type', { get: () => ((looks += 1), OPENAI) }),
    );
    for (let turn = 0; turn < 10; turn += 1) expect(ableChannels(watched, 'chat')).toBe(watched);
    expect(looks).toBe(1000);
  });

  it('leave out channels without the endpoint', () => {
    const list = [channel(1), channel(2, { type: NO_SUCH_TYPE })];
    expect(ableChannels(list, 'chat').map(({ id }) => id)).toEqual([1]);
  });

  it('include the channels that search for responses, which are those of that dialect', () => {
    const list = [channel(1), channel(2, { type: 14 }), channel(3, { type: 43 }), channel(4, { type: 3 })];
    expect(searchingChannels(list, 'responses', 'a').map(({ id }) => id)).toEqual([1, 4]);
  });

  it("include whether a channel runs Google's tools itself", () => {
    const list = [channel(1), channel(2, { type: 24 })];
    const runs = (endpoint: 'chat' | 'embeddings', some = list) => runsGoogleTools(some, endpoint, 'a');
    expect([runs('chat'), runs('chat')]).toEqual([true, true]);
    expect([runs('embeddings'), runs('chat', [channel(1)])]).toEqual([false, false]);
  });

  it('include whether no channel sends pictures in texts of earlier answers as text', () => {
    const convert = (endpoint: 'chat' | 'messages' | 'embeddings', types: number[], model = 'a') =>
      convertPictureTexts(
        types.map((type, id) => channel(id, { type })),
        endpoint,
        model,
      );
    expect([convert('chat', [24]), convert('chat', [14, 24, 34]), convert('messages', [24, OPENAI])]).toEqual([
      true,
      true,
      true,
    ]);
    expect([convert('chat', [24, OPENAI]), convert('messages', [14]), convert('embeddings', [24])]).toEqual([
      false,
      false,
      false,
    ]);
    const names = ['gemini-2.5-flash-image', 'claude-sonnet-4', 'meta/llama'];
    expect(names.map((name) => convert('chat', [41], name))).toEqual([true, true, false]);
  });

  it('include whether a channel leads to an agent or an app', () => {
    const types = (...list: number[]) => list.map((type, id) => channel(id, { type, modelMapping: { app: 'bot-1' } }));
    for (const agent of [22, 27, 37, 49]) expect(haveOwnContext(types(OPENAI, agent), 'a')).toBe(true);
    expect(haveOwnContext(types(OPENAI, 14, 24, NO_SUCH_TYPE), 'a')).toBe(false);
    const volcEngine = types(45);
    expect([haveOwnContext(volcEngine, 'app'), haveOwnContext(volcEngine, 'doubao')]).toEqual([true, false]);
  });

  it("include whether a channel omits the client's limit", () => {
    const types = (...list: number[]) => list.map((type, id) => channel(id, { type }));
    for (const type of [16, 23, 37, 49]) expect(heedNoLimit(types(OPENAI, type))).toBe(true);
    expect(heedNoLimit(types(OPENAI, 14, 24, NO_SUCH_TYPE))).toBe(false);
  });

  it('go by the name that is sent where an upstream serves several families of models', () => {
    const vertex = (id: number, modelMapping = {}) => channel(id, { type: 41, modelMapping });
    const circle = vertex(3, { a: 'x', x: 'a' });
    const list = [vertex(1, { a: 'claude-sonnet-4' }), vertex(2, { a: 'gemini-2.5-pro' }), circle];
    expect(searchingChannels(list, 'gemini', 'a').map(({ id }) => id)).toEqual([2]);
    expect(searchingChannels(list, 'gemini', 'gemini-2.0-flash').map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(searchingChannels(list, 'gemini', 'claude-sonnet-4')).toEqual([]);
    expect([runsGoogleTools(list, 'chat', 'a'), runsGoogleTools(list, 'chat', 'claude-sonnet-4')]).toEqual([
      true,
      false,
    ]);
  });

  it('include every name of a model, except those of circular mappings', () => {
    const list = [
      channel(1, { modelMapping: { a: 'b' } }),
      channel(2, { modelMapping: { a: 'c', c: 'd' } }),
      channel(3, { modelMapping: { a: 'x', x: 'a' } }),
    ];
    expect(modelNames(list, 'a')).toEqual(['a', 'b', 'd']);
    expect(modelNames(list, 'z')).toEqual(['z']);
    expect(sentNames(list, 'a')).toEqual(['b', 'd']);
    expect(sentNames(list, 'c')).toEqual(['c', 'd']);
    expect(sentNames(list, 'z')).toEqual(['z']);
  });

  it('include a model name that an override sets', () => {
    const list = [channel(1, { modelMapping: { a: 'b' }, paramOverride: { MODEL: 'c', n: 1 } })];
    expect([modelNames(list, 'a'), sentNames(list, 'a')]).toEqual([
      ['a', 'c', 'b'],
      ['c', 'b'],
    ]);
  });

  it('include each override once, and none where nothing is overridden', () => {
    const many = (paramOverride: object, count: number): RoutedChannel[] =>
      Array.from({ length: count }, (_, id) => channel(id, { paramOverride } as Partial<RoutedChannel>));
    expect(overridesIn(many({}, 5))).toEqual([]);
    expect(overridesIn([...many({}, 5), ...many({ n: 2 }, 5)])).toEqual([{}, { n: 2 }]);
  });

  it("include each upstream's reading of a forwarded body, with the client's own members", () => {
    const json = { max_tokens: 5, generationConfig: { maxOutputTokens: 7 } };
    const asked = { endpoint: 'chat', model: 'a', json } as const;
    const claude = channel(2, { type: 14, paramOverride: { max_tokens: 1 } });
    const google = channel(4, { type: 41, modelMapping: { a: 'gemini-2.0-flash' } });
    const { overrides, readings } = readUnchanged([channel(1), claude, { ...claude, id: 3 }, google], asked);
    expect(overrides).toEqual([{}, { max_tokens: 1 }, {}]);
    expect(readings.map(({ max_tokens: limit }) => limit)).toEqual([5, 7]);
    expect(readUnchanged([channel(1)], asked)).toEqual({ overrides: [], readings: [] });
    expect(readUnchanged([claude], asked).overrides).toEqual([{ max_tokens: 1 }, {}]);
  });
});
