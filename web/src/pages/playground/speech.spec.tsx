import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const { createObjectURL, revokeObjectURL } = URL;

/** The `blob:` addresses that keep a sound in memory. */
const held = new Set<string>();

async function open() {
  const page = await renderPage('/playground', {
    user: person,
    replies: {
      'GET /api/user/self/groups': success({ default: { ratio: 1, desc: 'Default' } }),
      'GET /api/user/models': success(['tts-1']),
      'GET /api/pricing': success([{ model_name: 'tts-1', enable_groups: ['default'] }]),
      'POST /pg/audio/speech': () => new Response('sound', { headers: { 'content-type': 'audio/mpeg' } }),
    },
  });
  const field = await screen.findByRole('textbox', { name: zh.compose });
  await waitFor(() => expect(field.getAttribute('placeholder')).toBe(zh.speechHint));
  const speak = async (text: string, sounds: number) => {
    fireEvent.change(field, { target: { value: text } });
    fireEvent.keyDown(field, { key: 'Enter' });
    await waitFor(() => expect(screen.getAllByLabelText(zh.sound)).toHaveLength(sounds));
  };
  return { ...page, speak };
}

describe('the sound of an answer', () => {
  beforeEach(() => {
    let made = 0;
    URL.createObjectURL = jest.fn(() => {
      const url = `blob:${(made += 1)}`;
      held.add(url);
      return url;
    });
    URL.revokeObjectURL = (url) => void held.delete(url);
  });
  afterEach(() => {
    held.clear();
    Object.assign(URL, { createObjectURL, revokeObjectURL });
  });

  it('is held as long as its message is shown or can be restored', async () => {
    const { speak } = await open();
    await speak('one', 1);
    await speak('two', 2);
    expect([...held]).toEqual(['blob:1', 'blob:2']);
    fireEvent.click(screen.getByRole('button', { name: zh.clear }));
    await waitFor(() => expect(screen.queryByLabelText(zh.sound)).toBeNull());
    expect([...held]).toEqual(['blob:1', 'blob:2']);
    await speak('three', 1);
    expect([...held]).toEqual(['blob:3']);
  });

  it('is released when the page is closed', async () => {
    const { speak, unmount } = await open();
    await speak('one', 1);
    await act(async () => unmount());
    expect([...held]).toEqual([]);
  });
});
