import { expect } from '@jest/globals';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { texts as en } from '../pages/playground/en.js';
import { texts as zh } from '../pages/playground/zh.js';
import { success } from './fake-fetch.js';
import { person, renderPage } from './render-page.js';

/** The id of the request whose answer is poured. */
export const ID = '01a1fc73-0000-7000-8000-000000000001';
export const piece = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
export const DONE = 'data: [DONE]\n\n';

/** A streaming reply whose pieces are released by the test. */
export function pour(...first: string[]) {
  const encoder = new TextEncoder();
  let sink: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      sink = controller;
      for (const text of first) controller.enqueue(encoder.encode(text));
    },
  });
  const reply = new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'X-Oneapi-Request-Id': ID },
  });
  // The fake `fetch` clones replies, but a stream can be read only once.
  reply.clone = () => reply;
  return {
    reply,
    more: (text: string) => sink?.enqueue(encoder.encode(text)),
    end: () => sink?.close(),
  };
}

/** What the log says of an answer. */
const row = { prompt_tokens: 11, completion_tokens: 2, quota: 19 };

/** Additional models of other kinds, and their replies. */
interface Extra {
  others?: string[];
  more?: Record<string, unknown>;
  language?: 'zh' | 'en';
}

export async function openPlayground(
  chat: unknown,
  address = '/playground',
  { others = [], more = {}, language = 'zh' }: Extra = {},
) {
  const view = await renderPage(address, {
    user: person,
    language,
    replies: {
      'GET /api/user/self/groups': success({
        vip: { ratio: 0.5, desc: 'VIP' },
        default: { ratio: 1, desc: 'Default' },
      }),
      'GET /api/user/models': success(['gpt-4o-mini', 'gpt-4o', 'vip-only', ...others]),
      'GET /api/pricing': success([
        { model_name: 'gpt-4o-mini', enable_groups: ['default', 'vip'] },
        { model_name: 'gpt-4o', enable_groups: ['default'] },
        { model_name: 'vip-only', enable_groups: ['vip'] },
        ...others.map((model) => ({ model_name: model, enable_groups: ['default'] })),
      ]),
      'GET /api/about': success(''),
      'GET /api/log/self/': success({ items: [row], total: 1, page: 1, page_size: 1 }),
      'POST /pg/chat/completions': chat,
      ...more,
    },
  });
  await screen.findByRole('heading', { level: 1, name: (language === 'zh' ? zh : en).title });
  return view;
}
/** Types a question and sends it. */
export const say = async (text: string) => {
  const field = await screen.findByRole('textbox', { name: zh.compose });
  await waitFor(() => expect(field.getAttribute('placeholder')).toBe(zh.composeHint));
  fireEvent.change(field, { target: { value: text } });
  fireEvent.keyDown(field, { key: 'Enter' });
};
