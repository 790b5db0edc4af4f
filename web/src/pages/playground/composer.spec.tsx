import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { sessionExpired } from '../../api/events.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { signedIn } from '../../app/slices/session.js';
import { success } from '../../testing/fake-fetch.js';
import { person, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const sse = (text: string) =>
  new Response(`data: ${JSON.stringify({ choices: [{ delta: { content: text } }] })}\n\ndata: [DONE]\n\n`, {
    headers: { 'content-type': 'text/event-stream' },
  });

async function open() {
  const page = await renderPage('/about', {
    user: person,
    replies: {
      'GET /api/about': success(''),
      'GET /api/user/self/groups': success({ default: { ratio: 1, desc: 'Default' } }),
      'GET /api/user/models': success(['gpt-4o-mini', 'gpt-4o', 'dall-e-3']),
      'GET /api/pricing': success(
        ['gpt-4o-mini', 'gpt-4o', 'dall-e-3'].map((model_name) => ({ model_name, enable_groups: ['default'] })),
      ),
      'POST /pg/chat/completions': sse('done'),
    },
  });
  await act(() => page.router.navigate('/playground'));
  const field = await composer();
  await waitFor(() => expect(field.getAttribute('placeholder')).toBe(zh.composeHint));
  const sent = () =>
    page.network
      .of('POST', '/pg/chat/completions')
      .map(({ body }) => (body as { messages: { content: unknown }[] }).messages.at(-1)?.content);
  return { ...page, sent };
}
const composer = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: zh.compose });
const write = async (value: string) => fireEvent.change(await composer(), { target: { value } });
const picture = (name: string) => new File([name], name, { type: 'image/png' });
const paste = async (file: File) => fireEvent.paste(await composer(), { clipboardData: { files: [file] } });
const part = (name: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${btoa(name)}` } });

describe('the message of the playground', () => {
  it('waits for a file that is still being read', async () => {
    const { sent } = await open();
    await write('what is it?');
    const field = await composer();
    fireEvent.paste(field, { clipboardData: { files: [picture('cat.png')] } });
    fireEvent.keyDown(field, { key: 'Enter' });
    await screen.findByText('done');
    expect(sent()).toEqual([[{ type: 'text', text: 'what is it?' }, part('cat.png')]]);
    expect((await composer()).value).toBe('');
  });

  it('is not sent when the text changes while it waits', async () => {
    const { sent } = await open();
    await write('what');
    const field = await composer();
    fireEvent.paste(field, { clipboardData: { files: [picture('cat.png')] } });
    fireEvent.keyDown(field, { key: 'Enter' });
    fireEvent.change(field, { target: { value: 'what is it?' } });
    await screen.findByAltText('cat.png');
    expect(sent()).toEqual([]);
    fireEvent.keyDown(field, { key: 'Enter' });
    await screen.findByText('done');
    expect(sent()).toEqual([[{ type: 'text', text: 'what is it?' }, part('cat.png')]]);
  });

  it('stays in the field when its file is refused', async () => {
    const { sent } = await open();
    await write('what is it?');
    const field = await composer();
    fireEvent.paste(field, { clipboardData: { files: [new File(['x'], 'x.zip', { type: 'application/zip' })] } });
    fireEvent.keyDown(field, { key: 'Enter' });
    expect((await screen.findByRole('alert')).textContent).toContain(zh.badFile);
    await act(async () => undefined);
    expect(sent()).toEqual([]);
    expect(field.value).toBe('what is it?');
  });

  it('has both files when two are pasted in a row', async () => {
    await open();
    await act(async () => {
      await paste(picture('one.png'));
      await paste(picture('two.png'));
    });
    await screen.findByAltText('two.png');
    expect(screen.getByAltText('one.png')).toBeTruthy();
  });

  it('loses its files to a model of another kind only with a word about it', async () => {
    await open();
    await paste(picture('cat.png'));
    await screen.findByAltText('cat.png');
    const choose = async (model: string) => {
      fireEvent.mouseDown(await screen.findByLabelText(zh.model));
      fireEvent.click(await screen.findByRole('option', { name: model }));
    };
    await choose('gpt-4o');
    expect([screen.queryByText(zh.filesGone), screen.getByAltText('cat.png')]).toEqual([null, expect.anything()]);
    await choose('dall-e-3');
    expect(await screen.findByText(zh.filesGone)).toBeTruthy();
    expect(screen.queryByAltText('cat.png')).toBeNull();
  });

  it('is protected by a confirmation before "back", and kept when the login expires', async () => {
    const { router, store } = await open();
    await write('a long question');
    await act(() => router.navigate(-1));
    const question = await screen.findByRole('alertdialog', { name: shell.form.discardTitle });
    fireEvent.click(within(question).getByRole('button', { name: shell.action.cancel }));
    expect(router.state.location.pathname).toBe('/playground');

    act(() => void store.dispatch(sessionExpired()));
    await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
    act(() => void store.dispatch(signedIn(person)));
    await act(() => router.navigate('/playground'));
    await waitFor(async () => expect((await composer()).value).toBe('a long question'));
  });
});

it('the system prompt of the playground is protected by a confirmation before "back", and kept when the login expires', async () => {
  const { router, store } = await open();
  const system = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'System' });
  fireEvent.change(await system(), { target: { value: 'You are a pirate.' } });
  await act(() => router.navigate(-1));
  const question = await screen.findByRole('alertdialog', { name: shell.form.discardTitle });
  fireEvent.click(within(question).getByRole('button', { name: shell.action.cancel }));
  expect(router.state.location.pathname).toBe('/playground');

  act(() => void store.dispatch(sessionExpired()));
  await waitFor(() => expect(router.state.location.pathname).toBe('/login'));
  act(() => void store.dispatch(signedIn(person)));
  await act(() => router.navigate('/playground'));
  await waitFor(async () => expect((await system()).value).toBe('You are a pirate.'));
});
