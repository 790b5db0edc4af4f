import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { signedOut } from '../../app/slices/session.js';
import type { Replies } from '../../testing/fake-fetch.js';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { useFastTimers } from '../../testing/fast-timers.js';
import { untilIdle } from '../../testing/until-idle.js';
import { newMessage } from './conversation.js';
import { LONGEST_KEPT, keptOf } from './kept-conversation.js';
import { texts as zh } from './zh.js';

const answered = () =>
  new Response('data: {"choices":[{"delta":{"content":"Paris"}}]}\n\ndata: [DONE]\n\n', {
    headers: { 'content-type': 'text/event-stream', 'X-Oneapi-Request-Id': 'req-1' },
  });
const rows = (...items: unknown[]) => success({ items, total: items.length, page: 1, page_size: 1 });

interface Tab {
  drafts?: Record<string, unknown>;
  model?: string;
  bills?: unknown[];
  more?: Replies;
}

const open = ({ drafts, model = 'gpt-4o-mini', bills = [], more }: Tab = {}) =>
  renderPage('/playground', {
    user: person,
    drafts,
    replies: {
      'GET /api/user/self/groups': success({ default: { ratio: 1, desc: 'Default' } }),
      'GET /api/user/models': success([model]),
      'GET /api/pricing': success([{ model_name: model, enable_groups: ['default'] }]),
      'GET /api/log/self/': rows(...bills),
      'POST /pg/chat/completions': answered,
      'POST /pg/audio/transcriptions': { text: 'Paris' },
      ...more,
    },
  });
type Page = Awaited<ReturnType<typeof open>>;
const say = async (text: string, hint: string = zh.composeHint) => {
  const field = await screen.findByRole('textbox', { name: zh.compose });
  await waitFor(() => expect(field.getAttribute('placeholder')).toBe(hint));
  fireEvent.change(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: 'Enter' });
};
function reload({ unmount }: Page): Record<string, unknown> {
  window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }));
  const { forms } = JSON.parse(sessionStorage.getItem('draft') ?? '{"forms":{}}') as { forms: Record<string, unknown> };
  unmount();
  return forms;
}
const talk = async (tab?: Tab) => {
  const page = await open(tab);
  await say('capital of France?');
  await screen.findByText('Paris');
  return page;
};
const askedBills = ({ network }: Page) => network.of('GET', '/api/log/self/');
const keptAs = (messages: unknown[]) => ({ '/playground#conversation': { messages, isShortened: false } });
const asks = { role: 'user', content: 'q', createAt: 1, status: 'complete' };
const answers = (requestId: string) => ({ ...asks, role: 'assistant', content: requestId, facts: { requestId } });
const retryButton = () => screen.findByRole('button', { name: shell.action.retry });

afterEach(() => void jest.useRealTimers());

describe('the conversation of the playground', () => {
  it('is there after a reload, says so, and goes on', async () => {
    const page = await open({ drafts: reload(await talk()) });
    expect(await screen.findByText('Paris')).toBeTruthy();
    expect(screen.getByText('capital of France?')).toBeTruthy();
    expect(screen.getByText(zh.restored)).toBeTruthy();
    await say('and of Spain?');
    await waitFor(() => expect(page.network.of('POST', '/pg/chat/completions')).toHaveLength(1));
    const { messages } = page.network.of('POST', '/pg/chat/completions')[0]?.body as {
      messages: { content: string }[];
    };
    expect(messages.map(({ content }) => content).slice(-3)).toEqual(['capital of France?', 'Paris', 'and of Spain?']);
  });

  it('is gone once it was cleared, and after a sign-out', async () => {
    const page = await talk();
    fireEvent.click(screen.getByRole('button', { name: zh.clear }));
    expect(JSON.stringify(reload(page))).not.toContain('Paris');

    const other = await talk();
    window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: true }));
    expect(sessionStorage.getItem('draft')).toContain('Paris');
    act(() => void other.store.dispatch(signedOut()));
    expect(sessionStorage.getItem('draft') ?? '').not.toContain('Paris');
  });

  it('begins with the greeting where nothing was asked, or something else was kept', async () => {
    expect(reload(await open())).toEqual({});
    await open({ drafts: keptAs([{ role: 'user', content: 5 }]) });
    expect(await screen.findByText(zh.sample.assistant)).toBeTruthy();
    expect(screen.queryByText(zh.restored)).toBeNull();
  });
});

describe('the costs of a kept conversation', () => {
  const bill = { prompt_tokens: 11, completion_tokens: 2, quota: 19 };

  it('are shown as they were, without asking for them again', async () => {
    const before = await talk({ bills: [bill] });
    expect(await screen.findByText('$0.000038')).toBeTruthy();
    const page = await open({ drafts: reload(before) });
    expect(await screen.findByText('$0.000038')).toBeTruthy();
    expect(screen.getByText(zh.facts.tokens.replace('{{prompt}}', '11').replace('{{completion}}', '2'))).toBeTruthy();
    expect(askedBills(page)).toEqual([]);
  });

  it('are asked for once, of the newest answer, where they are not known', async () => {
    useFastTimers();
    const page = await open({ drafts: keptAs([asks, answers('first'), asks, answers('second')]) });
    await screen.findByText('second');
    await act(() => jest.advanceTimersByTimeAsync(60_000));
    expect(askedBills(page).map(({ query }) => query.get('request_id'))).toEqual(['second']);
    expect(screen.queryByText(zh.facts.billing)).toBeNull();
  });
});

describe('an answer that was running during a reload', () => {
  const begun = (id?: string) => {
    const body = new ReadableStream<Uint8Array>({
      start: (sink) => sink.enqueue(new TextEncoder().encode('data: {"choices":[{"delta":{"content":"Par"}}]}\n\n')),
    });
    const headers = { 'content-type': 'text/event-stream', ...(id && { 'X-Oneapi-Request-Id': id }) };
    const reply = new Response(body, { headers });
    // The fake `fetch` clones replies, but a stream can be read only once.
    reply.clone = () => reply;
    return reply;
  };
  const interrupted = async (id?: string) => {
    const before = await open({ more: { 'POST /pg/chat/completions': begun(id) } });
    await say('capital of France?');
    await screen.findByText('Par');
    return reload(before);
  };

  it('learns its cost as soon as that is booked', async () => {
    const drafts = await interrupted('req-7');
    let asked = 0;
    const page = await open({
      drafts,
      more: {
        'GET /api/log/self/': () =>
          (asked += 1) < 3 ? rows() : rows({ prompt_tokens: 11, completion_tokens: 2, quota: 19 }),
      },
    });
    expect(await screen.findByText(zh.facts.billing)).toBeTruthy();
    expect(await screen.findByText('$0.000038')).toBeTruthy();
    expect(askedBills(page).map(({ query }) => query.get('request_id'))).toEqual(['req-7', 'req-7', 'req-7']);
    expect(screen.getByText(zh.facts.stopped)).toBeTruthy();
    expect(screen.queryByRole('link', { name: zh.facts.inLog })).toBeNull();
  });

  it('is asked about a limited number of times, and leads to the log then', async () => {
    const kept = { ...answers('req-7'), facts: { requestId: 'req-7', interrupted: true, billAsks: 2 } };
    useFastTimers();
    const page = await open({ drafts: keptAs([asks, kept]) });
    await waitFor(() => expect(askedBills(page)).toHaveLength(2));
    const link = await screen.findByRole('link', { name: zh.facts.inLog });
    expect(link.getAttribute('href')).toBe('/log?request_id=req-7');
    await act(() => jest.advanceTimersByTimeAsync(60_000));
    expect(askedBills(page)).toHaveLength(2);
    // After another reload it is asked for once more only.
    const again = await open({ drafts: reload(page) });
    await screen.findByRole('link', { name: zh.facts.inLog });
    await act(() => jest.advanceTimersByTimeAsync(60_000));
    expect(askedBills(again)).toHaveLength(1);
  });

  it('leads to the log where its id had not arrived', async () => {
    const page = await open({ drafts: await interrupted() });
    expect((await screen.findByRole('link', { name: zh.facts.inLog })).getAttribute('href')).toBe('/log');
    expect(askedBills(page)).toEqual([]);
  });
});

describe('the choices beside a conversation', () => {
  const choices = {
    'GET /api/user/self/groups': success({ default: { ratio: 1, desc: 'Default' }, vip: { ratio: 1, desc: 'VIP' } }),
    'GET /api/user/models': success(['gpt-4o-mini', 'gpt-4o', 'vip-only']),
    'GET /api/pricing': success([
      { model_name: 'gpt-4o-mini', enable_groups: ['default', 'vip'] },
      { model_name: 'vip-only', enable_groups: ['vip'] },
    ]),
  };

  it('are kept over a reload, and used by a retry', async () => {
    const before = await open({ more: choices });
    await say('capital of France?');
    await screen.findByText('Paris');
    fireEvent.change(screen.getByLabelText(zh.group), { target: { value: 'vip' } });
    fireEvent.mouseDown(screen.getByRole('combobox', { name: zh.model }));
    fireEvent.click(await screen.findByRole('option', { name: 'vip-only' }));
    fireEvent.change(screen.getByLabelText('MaxTokens'), { target: { value: '77' } });
    fireEvent.change(screen.getByLabelText('System'), { target: { value: 'Be brief.' } });

    const page = await open({ more: choices, drafts: reload(before) });
    await screen.findByText('Paris');
    await waitFor(() => expect(screen.getByRole('combobox', { name: zh.model })).toHaveProperty('value', 'vip-only'));
    expect(screen.getByLabelText('MaxTokens')).toHaveProperty('value', '77');
    fireEvent.click(await retryButton());
    await waitFor(() => expect(page.network.of('POST', '/pg/chat/completions')).toHaveLength(1));
    const { messages, ...sent } = page.network.of('POST', '/pg/chat/completions')[0]?.body as { messages: unknown[] };
    expect(sent).toMatchObject({ model: 'vip-only', group: 'vip', max_tokens: 77, temperature: 0 });
    expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });

  it('are not kept where the page has replaced them since', async () => {
    const before = await open({ more: choices });
    const model = () => screen.getByRole<HTMLInputElement>('combobox', { name: zh.model });
    const group = (name: string) => fireEvent.change(screen.getByLabelText(zh.group), { target: { value: name } });
    await waitFor(() => expect(screen.getByLabelText(zh.group)).toHaveProperty('value', 'default'));
    group('vip');
    fireEvent.mouseDown(model());
    fireEvent.click(await screen.findByRole('option', { name: 'vip-only' }));
    group('default');
    await waitFor(() => expect(model().value).toBe('gpt-4o-mini'));
    group('vip');
    await act(() => untilIdle(before.store));
    expect(model().value).toBe('gpt-4o-mini');

    const { store } = await open({ more: choices, drafts: reload(before) });
    await waitFor(() => expect(screen.getByLabelText(zh.group)).toHaveProperty('value', 'vip'));
    await act(() => untilIdle(store));
    expect(model().value).toBe('gpt-4o-mini');
  });

  it('give way to what is offered where a kept one is not', async () => {
    const drafts = { '/playground#parameters': { group: 'gone', model: 'gone', maxTokens: '5' } };
    await open({ more: choices, drafts });
    await waitFor(() => expect(screen.getByLabelText(zh.group)).toHaveProperty('value', 'default'));
    await waitFor(() =>
      expect(screen.getByRole('combobox', { name: zh.model })).toHaveProperty('value', 'gpt-4o-mini'),
    );
    expect(screen.getByLabelText('MaxTokens')).toHaveProperty('value', '5');
  });
});

describe('files of a kept conversation', () => {
  const pick = async (label: string, file: File) => {
    const input = await waitFor(() => {
      const found = document.querySelector<HTMLInputElement>(`input[type=file][aria-label="${label}"]`);
      if (!found) throw new Error('there is nothing to pick files with');
      return found;
    });
    fireEvent.change(input, { target: { files: [file] } });
    await waitFor(() => expect(screen.getByRole('button', { name: new RegExp(file.name) })).toBeTruthy());
  };
  const cat = new File(['png'], 'cat.png', { type: 'image/png' });
  const speech = new File(['mp3'], 'speech.mp3', { type: 'audio/mpeg' });
  const lost = (name: string) => zh.notKept.file.replace('{{name}}', name);

  it.each([
    { of: 'a picture alone', model: 'gpt-4o-mini', file: cat, text: '', label: zh.attach, hint: zh.composeHint },
    {
      of: 'a picture with a text',
      model: 'gpt-4o-mini',
      file: cat,
      text: 'what?',
      label: zh.attach,
      hint: zh.composeHint,
    },
    { of: 'a sound', model: 'whisper-1', file: speech, text: '', label: zh.attachSound, hint: zh.wordsHint },
  ])(
    'are named as not kept, and their question is not asked again: $of',
    async ({ model, file, text, label, hint }) => {
      const before = await open({ model });
      await screen.findByPlaceholderText(hint);
      await pick(label, file);
      await say(text, hint);
      await retryButton();
      const page = await open({ model, drafts: reload(before) });
      expect(await screen.findByText(lost(file.name))).toBeTruthy();
      const retry = await retryButton();
      expect(retry.title).toBe(zh.noRetry);
      fireEvent.click(retry);
      await act(() => untilIdle(page.store));
      expect(page.network.calls.filter(({ method }) => method === 'POST')).toEqual([]);
      expect(screen.getByText(lost(file.name))).toBeTruthy();
      // It is still said after another reload.
      await open({ model, drafts: reload(page) });
      expect(await screen.findByText(lost(file.name))).toBeTruthy();
    },
  );

  it('stand in the next request by their names, where a question was nothing but files', async () => {
    const only = { ...asks, content: '', notKept: [{ kind: 'file', name: 'cat.png' }] };
    const page = await open({ drafts: keptAs([only, answers('a cat')]) });
    await screen.findByText('a cat');
    await say('which breed?');
    await waitFor(() => expect(page.network.of('POST', '/pg/chat/completions')).toHaveLength(1));
    const body = page.network.of('POST', '/pg/chat/completions')[0]?.body as { messages: { content: string }[] };
    expect(body.messages.slice(1).map(({ content }) => content)).toEqual(['[cat.png]', 'a cat', 'which breed?']);
  });

  it.each(['picture', 'sound'] as const)('are named as not kept where they were an answer: %s', async (kind) => {
    const reply = { ...newMessage('assistant', ''), media: [{ kind, url: 'blob:1' }], facts: { totalMs: 5 } };
    const kept = keptOf([newMessage('user', 'draw'), reply]);
    expect(JSON.stringify(kept)).not.toContain('blob:');
    await open({ drafts: { '/playground#conversation': kept } });
    expect(await screen.findByText(zh.notKept[kind])).toBeTruthy();
    expect(screen.queryByText(zh.state.empty)).toBeNull();
    // The question is whole, so it can be asked again.
    expect((await retryButton()).title).toBe('');
  });
});

describe('a conversation that is too long to keep', () => {
  const long = 'x'.repeat(LONGEST_KEPT + 1);
  const half = 'x'.repeat(LONGEST_KEPT / 2);
  const contents = (kept: ReturnType<typeof keptOf>) => kept?.messages.map(({ content }) => content);

  it('keeps its latest messages, from a question on, and says that older ones are missing', async () => {
    const kept = keptOf([
      newMessage('user', half),
      newMessage('assistant', half),
      newMessage('user', 'short'),
      newMessage('assistant', 'brief'),
    ]);
    expect(contents(kept)).toEqual(['short', 'brief']);
    const before = await open({ drafts: { '/playground#conversation': kept } });
    expect(await screen.findByText(zh.restoredShort)).toBeTruthy();
    await open({ drafts: reload(before) });
    expect(await screen.findByText(zh.restoredShort)).toBeTruthy();
  });

  it('says of a latest answer that it was too long, and keeps what is before it', async () => {
    const kept = keptOf([
      newMessage('user', 'one'),
      newMessage('assistant', 'two'),
      newMessage('user', 'three'),
      { ...newMessage('assistant', long, 'error'), reasoning: long, error: 'lost', facts: { totalMs: 5 } },
    ]);
    expect(contents(kept)).toEqual(['one', 'two', 'three', '']);
    await open({ drafts: { '/playground#conversation': kept } });
    expect(await screen.findByText(zh.notKept.text)).toBeTruthy();
    expect(screen.getByText('lost')).toBeTruthy();
    expect(screen.getByText(zh.restored)).toBeTruthy();
    expect((await retryButton()).title).toBe('');
  });

  it('does not ask a latest question again that was too long', async () => {
    const asked = [newMessage('user', long), { ...newMessage('assistant', half), facts: { totalMs: 5 } }];
    const page = await open({ drafts: { '/playground#conversation': keptOf(asked) } });
    expect(await screen.findByText(zh.notKept.text)).toBeTruthy();
    fireEvent.click(within(screen.getAllByRole('listitem').at(-1)!).getByRole('button', { name: shell.action.retry }));
    await act(() => untilIdle(page.store));
    expect(page.network.calls.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(contents(keptOf([newMessage('user', long)]))).toEqual(['']);
  });

  it('keeps a running answer as one that was stopped', () => {
    const kept = keptOf([newMessage('user', 'q'), newMessage('assistant', '…', 'incomplete')]);
    expect(kept?.messages[1]).toMatchObject({ status: 'complete', facts: { stopped: true } });
  });
});
