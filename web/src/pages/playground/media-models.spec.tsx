import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { json } from '../../testing/fake-fetch.js';
import { DONE, openPlayground, piece, pour, say } from '../../testing/open-playground.js';
import { texts as zh } from './zh.js';

const answers = () => screen.getAllByRole('listitem');

const PIXEL = 'iVBORw0KGgo=';

describe('models of other kinds', () => {
  const choose = async (model: string) => {
    const field = await screen.findByLabelText(zh.model);
    fireEvent.mouseDown(field);
    fireEvent.click(await screen.findByRole('option', { name: model }));
  };
  const write = async (text: string, hint: string) => {
    const field = await screen.findByRole('textbox', { name: zh.compose });
    await waitFor(() => expect(field.getAttribute('placeholder')).toBe(hint));
    fireEvent.change(field, { target: { value: text } });
    fireEvent.keyDown(field, { key: 'Enter' });
  };
  const pick = async (label: string, file: File) => {
    const input = document.querySelector<HTMLInputElement>(`input[type=file][aria-label="${label}"]`);
    if (!input) throw new Error('there is nothing to pick files with');
    fireEvent.change(input, { target: { files: [file] } });
    await screen
      .findByText(
        (_, element) => element?.getAttribute('title') === file.name || element?.getAttribute('alt') === file.name,
      )
      .catch(() => screen.findByAltText(file.name));
  };

  it('create pictures by their own endpoint', async () => {
    const { network } = await openPlayground(pour(DONE).reply, '/playground', {
      others: ['dall-e-3'],
      more: { 'POST /pg/images/generations': json({ created: 1, data: [{ b64_json: PIXEL }] }, 200) },
    });
    await choose('dall-e-3');
    expect(screen.queryByText('MaxTokens')).toBeNull();
    fireEvent.change(await screen.findByLabelText(zh.size), { target: { value: '1792x1024' } });
    await write('a gate', zh.pictureHint);
    const picture = await screen.findByRole('img', { name: zh.picture.replace('{{n}}', '1') });
    expect(picture.getAttribute('src')).toBe(`data:image/png;base64,${PIXEL}`);
    expect(network.of('POST', '/pg/images/generations')[0]?.body).toEqual({
      model: 'dall-e-3',
      group: 'default',
      prompt: 'a gate',
      size: '1792x1024',
      response_format: 'b64_json',
    });
  });

  it('show why they failed, and can be retried', async () => {
    const refused = { message: 'prompt is required', code: 'invalid_image_request', type: 'new_api_error' };
    await openPlayground(pour(DONE).reply, '/playground', {
      others: ['gpt-image-1'],
      more: { 'POST /pg/images/generations': json({ error: refused }, 400) },
    });
    await choose('gpt-image-1');
    await write('x', zh.pictureHint);
    expect(await screen.findByText('prompt is required')).toBeTruthy();
    expect(within(answers().at(-1)!).getByRole('button', { name: shell.action.retry })).toBeTruthy();
  });

  it('shows the reasoning of a model before its answer, and collapses it afterwards', async () => {
    const thought = `data: ${JSON.stringify({ choices: [{ delta: { reasoning_content: 'let me see' } }] })}\n\n`;
    const stream = pour(thought);
    await openPlayground(stream.reply);
    await say('why');
    const thinking = (await screen.findByText('let me see')).closest('details');
    expect(thinking?.open).toBe(true);
    stream.more(piece('so'));
    stream.more(DONE);
    await screen.findByText('so');
    await waitFor(() => expect(thinking?.open).toBe(false));
  });

  it('takes a picture along with a question', async () => {
    const { network } = await openPlayground(pour(piece('a cat'), DONE).reply);
    await pick(zh.attach, new File(['png'], 'cat.png', { type: 'image/png' }));
    await say('what is it?');
    await screen.findByText('a cat');
    const { messages } = network.of('POST', '/pg/chat/completions')[0]?.body as { messages: { content: unknown }[] };
    expect(messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'what is it?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${btoa('png')}` } },
    ]);
  });
});
