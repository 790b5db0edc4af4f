import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { signedOut } from '../../app/slices/session.js';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { newMessage } from './conversation.js';
import { LONGEST_KEPT, keptOf } from './kept-conversation.js';
import { texts as zh } from './zh.js';

const answered = () =>
  new Response('data: {"choices":[{"delta":{"content":"Paris"}}]}\n\ndata: [DONE]\n\n', {
    headers: { 'content-type': 'text/event-stream', 'X-Oneapi-Request-Id': 'req-1' },
  });

const open = (drafts?: Record<string, unknown>) =>
  renderPage('/playground', {
    user: person,
    drafts,
    replies: {
      'GET /api/user/self/groups': success({ default: { ratio: 1, desc: 'Default' } }),
      'GET /api/user/models': success(['gpt-4o-mini']),
      'GET /api/pricing': success([{ model_name: 'gpt-4o-mini', enable_groups: ['default'] }]),
      'GET /api/log/self/': success({ items: [], total: 0, page: 1, page_size: 1 }),
      'POST /pg/chat/completions': answered,
    },
  });
const say = async (text: string) => {
  const field = await screen.findByRole('textbox', { name: zh.compose });
  await waitFor(() => expect(field.getAttribute('placeholder')).toBe(zh.composeHint));
  fireEvent.change(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: 'Enter' });
};
type Page = Awaited<ReturnType<typeof open>>;
function reload({ unmount }: Page): Record<string, unknown> {
  window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }));
  const { forms } = JSON.parse(sessionStorage.getItem('draft') ?? '{"forms":{}}') as { forms: Record<string, unknown> };
  unmount();
  return forms;
}
const talk = async () => {
  const page = await open();
  await say('capital of France?');
  await screen.findByText('Paris');
  return page;
};

describe('the conversation of the playground', () => {
  it('is there after a reload, says so, and goes on', async () => {
    const page = await open(reload(await talk()));
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
    await open({ '/playground#conversation': [{ role: 'user', content: 5 }] });
    expect(await screen.findByText(zh.sample.assistant)).toBeTruthy();
    expect(screen.queryByText(zh.restored)).toBeNull();
  });

  it('keeps its latest messages up to a size, from a question on, and no files', () => {
    const half = 'x'.repeat(LONGEST_KEPT / 2);
    const url = 'data:image/png;base64,AAAA';
    const said = [
      newMessage('user', half),
      newMessage('assistant', half),
      { ...newMessage('user', 'a picture'), attachments: [{ name: 'a.png', type: 'image/png', url }] },
      { ...newMessage('assistant', 'drawn'), media: [{ kind: 'picture' as const, url }] },
    ];
    expect(keptOf(said)?.map(({ content }) => content)).toEqual(['a picture', 'drawn']);
    expect(JSON.stringify(keptOf(said))).not.toContain('base64');
    expect(keptOf([newMessage('user', 'x'.repeat(LONGEST_KEPT + 1))])).toBeUndefined();
    expect(keptOf([newMessage('user', 'q'), newMessage('assistant', '…', 'incomplete')])?.[1]).toMatchObject({
      status: 'complete',
      facts: { stopped: true },
    });
  });
});
