import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { json, refusal, success } from '../../testing/fake-fetch.js';
import { narrowWindow } from '../../testing/narrow-window.js';
import { person } from '../../testing/render-page.js';
import { DONE, ID, openPlayground, piece, pour, say } from '../../testing/open-playground.js';
import { useFastTimers } from '../../testing/fast-timers.js';
import { texts as en } from './en.js';
import { defaultParameters } from './conversation.js';
import { texts as zh } from './zh.js';

const answers = () => screen.getAllByRole('listitem');

afterEach(() => void jest.useRealTimers());

describe('playground', () => {
  it('starts with a greeting, sends the parameters of the panel, and renders the answer as it arrives', async () => {
    const stream = pour(piece('Hel'));
    const { network } = await openPlayground(stream.reply);
    expect(await screen.findByText(zh.sample.assistant)).toBeTruthy();
    await say('Tell me');
    await screen.findByText('Hel');
    expect(answers().at(-1)?.getAttribute('data-status')).toBe('incomplete');
    stream.more(piece('lo'));
    stream.more(DONE);
    await screen.findByText('Hello');
    await waitFor(() => expect(answers().at(-1)?.getAttribute('data-status')).toBe('complete'));
    const [call] = network.of('POST', '/pg/chat/completions');
    expect(call?.body).toEqual({
      messages: [
        { role: 'system', content: defaultParameters.system },
        { role: 'user', content: zh.sample.user },
        { role: 'assistant', content: zh.sample.assistant },
        { role: 'user', content: 'Tell me' },
      ],
      stream: true,
      model: 'gpt-4o-mini',
      group: 'default',
      max_tokens: 0,
      temperature: 0,
    });
    expect(call?.headers.get('New-Api-User')).toBe('3');
    // The bill is looked up by the request id of the answer.
    expect(await screen.findByText('$0.000038')).toBeTruthy();
    expect(network.of('GET', '/api/log/self/')[0]?.query.get('request_id')).toBe(ID);
  });

  it.each([
    ['zh', zh, false],
    ['en', en, false],
    ['zh', zh, true],
  ] as const)('sends nothing while MaxTokens is no number, and says why (%s)', async (language, own, narrow) => {
    const widen = narrow ? narrowWindow() : () => undefined;
    const { network } = await openPlayground(pour(piece('Hi'), DONE).reply, '/playground', { language });
    const parameters = async () => {
      if (narrow) fireEvent.click(screen.getByRole('button', { name: new RegExp(`^${own.parameters}`) }));
      return screen.findByLabelText('MaxTokens');
    };
    const field = await parameters();
    fireEvent.change(field, { target: { value: '1,000' } });
    expect(await screen.findByText(own.fixMaxTokens)).toBeTruthy();
    if (narrow) fireEvent.click(screen.getByRole('button', { name: shell.action.ok }));
    const text = await screen.findByRole('textbox', { name: own.compose });
    await waitFor(() => expect(text.getAttribute('placeholder')).toBe(own.fixMaxTokens));
    fireEvent.change(text, { target: { value: 'go' } });
    fireEvent.keyDown(text, { key: 'Enter' });
    expect(network.of('POST', '/pg/chat/completions')).toEqual([]);
    const again = await parameters();
    expect(again).toHaveProperty('value', '1,000');
    fireEvent.change(again, { target: { value: '1000' } });
    if (narrow) fireEvent.click(screen.getByRole('button', { name: shell.action.ok }));
    fireEvent.keyDown(await screen.findByRole('textbox', { name: own.compose }), { key: 'Enter' });
    await screen.findByText('Hi');
    expect(network.of('POST', '/pg/chat/completions')[0]?.body).toMatchObject({ max_tokens: 1000 });
    widen();
  });

  it('stops an answer, keeps the received part and says so', async () => {
    const stream = pour(piece('partial'));
    await openPlayground(stream.reply);
    await say('go');
    await screen.findByText('partial');
    fireEvent.click(screen.getByRole('button', { name: zh.stop }));
    stream.end();
    expect(await screen.findByText(zh.facts.stopped)).toBeTruthy();
    expect(screen.getByText('partial')).toBeTruthy();
    expect(await screen.findByRole('button', { name: zh.send })).toBeTruthy();
  });

  it('is not stopped by the second click of a double click that sent the question', async () => {
    const stream = pour(piece('par'));
    await openPlayground(stream.reply);
    await say('go');
    await screen.findByText('par');
    fireEvent.click(screen.getByRole('button', { name: zh.stop }), { detail: 2 });
    stream.more(piece('tial'));
    stream.more(DONE);
    await screen.findByText('partial');
    await waitFor(() => expect(answers().at(-1)?.getAttribute('data-status')).toBe('complete'));
    expect(screen.queryByText(zh.facts.stopped)).toBeNull();
  });

  it('confirms before leaving the page loses a running answer', async () => {
    const stream = pour(piece('Hel'));
    const { router } = await openPlayground(stream.reply);
    await say('Tell me');
    await screen.findByText('Hel');
    await act(() => router.navigate('/about'));
    const question = await screen.findByRole('alertdialog', { name: shell.form.discardTitle });
    fireEvent.click(within(question).getByRole('button', { name: shell.action.cancel }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    stream.more(piece('lo'));
    stream.more(DONE);
    await screen.findByText('Hello');
    // The answer is complete, so leaving the page loses nothing.
    await waitFor(() => expect(answers().at(-1)?.getAttribute('data-status')).toBe('complete'));
    await act(() => router.navigate('/about'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/about'));
  });

  it('shows an error of the stream in the message and offers to retry', async () => {
    const failing = `${piece('w1')}data: ${JSON.stringify({ error: { message: 'upstream is gone' } })}\n\n`;
    let calls = 0;
    const { network } = await openPlayground(() =>
      ++calls === 1 ? pour(failing).reply : pour(piece('better'), DONE).reply,
    );
    await say('go');
    expect(await screen.findByText('upstream is gone')).toBeTruthy();
    expect(answers().at(-1)?.getAttribute('data-status')).toBe('error');
    expect(screen.getByText(zh.state.failed.replace('{{text}}', 'upstream is gone')).role).toBe('status');
    fireEvent.click(within(answers().at(-1)!).getByRole('button', { name: shell.action.retry }));
    expect(await screen.findByText('better')).toBeTruthy();
    expect(screen.queryByText('upstream is gone')).toBeNull();
    expect(screen.getByText(zh.state.finished.replace('{{text}}', 'better')).role).toBe('status');
    expect(network.of('POST', '/pg/chat/completions')).toHaveLength(2);
  });

  it('shows the message of a refused call', async () => {
    const refused = { message: `no price for this model (request id: ${ID})`, code: '', type: 'new_api_error' };
    await openPlayground(json({ error: refused }, 400));
    await say('go');
    expect(await screen.findByText('no price for this model')).toBeTruthy();
  });

  it('does not wait for the bill of a refused call, which may have none', async () => {
    const refused = { message: 'no channel', code: '', type: 'new_api_error' };
    const more = { 'GET /api/log/self/': success({ items: [], total: 0, page: 1, page_size: 1 }) };
    const reply = () => json({ error: refused }, 503, { 'X-Oneapi-Request-Id': ID });
    const { network } = await openPlayground(reply, '/playground', { more });
    useFastTimers();
    await say('go');
    await screen.findByText('no channel');
    await act(() => jest.advanceTimersByTimeAsync(60_000));
    expect(network.of('GET', '/api/log/self/')).toHaveLength(2);
    expect(screen.queryByText(zh.facts.billing)).toBeNull();
  });

  it('explains a refusal by the relay in the language of the reader', async () => {
    const refused = { message: 'user quota is not enough', code: 'insufficient_user_quota', type: 'new_api_error' };
    await openPlayground(json({ error: refused }, 403));
    await say('go');
    expect(await screen.findByText(zh.refused.insufficient_user_quota)).toBeTruthy();
  });

  it('quotes the message of a provider, shortened', async () => {
    const refused = { message: 'x'.repeat(2000), code: 'overloaded', type: 'server_error' };
    await openPlayground(json({ error: refused }, 500));
    await say('go');
    expect(await screen.findByText(zh.state.upstream.replace('{{text}}', `${'x'.repeat(300)}…`))).toBeTruthy();
  });

  it('keeps the user signed in when a provider refuses the key of a channel', async () => {
    const refused = { message: 'Incorrect API key provided', code: 'invalid_api_key', type: 'invalid_request_error' };
    const { network, store } = await openPlayground(json({ error: refused }, 401));
    const asked = network.of('GET', '/api/user/self').length;
    await say('go');
    expect(await screen.findByText(refused.message)).toBeTruthy();
    await waitFor(() => expect(network.of('GET', '/api/user/self').length).toBeGreaterThan(asked));
    expect(store.getState().session).toMatchObject({ user: { id: person.id }, expired: false });
  });

  it('completes when the stream closes without its end marker', async () => {
    const stream = pour(piece('short'));
    await openPlayground(stream.reply);
    await say('go');
    await screen.findByText('short');
    stream.end();
    await waitFor(() => expect(answers().at(-1)?.getAttribute('data-status')).toBe('complete'));
  });

  it('says why there is nothing to choose from, and retries', async () => {
    let broken = true;
    const models = () => (broken ? refusal('Not now', 'failed') : success(['gpt-4o']));
    await openPlayground(success(), '/playground', { more: { 'GET /api/user/models': models } });
    const main = within(screen.getByRole('main'));
    const alert = await main.findByRole('alert');
    expect(alert.textContent).toContain('Not now');
    broken = false;
    fireEvent.click(within(alert).getByRole('button', { name: shell.action.retry }));
    await waitFor(() => expect(main.queryByRole('alert')).toBeNull());
  });

  it('offers only models of the chosen group', async () => {
    await openPlayground(pour(DONE).reply);
    const group = await screen.findByLabelText<HTMLSelectElement>(zh.group);
    await waitFor(() => expect(group.value).toBe('default'));
    expect([...group.options].map(({ value }) => value)).toEqual(['default', 'vip']);
    fireEvent.change(group, { target: { value: 'vip' } });
    fireEvent.mouseDown(await screen.findByLabelText(zh.model));
    const options = (await screen.findAllByRole('option')).filter(({ tagName }) => tagName === 'LI');
    expect(options.map(({ textContent }) => textContent)).toEqual(['gpt-4o-mini', 'vip-only']);
  });

  it('offers and names no model of other groups for a group without models', async () => {
    const groups = { default: { ratio: 1, desc: 'Default' }, empty: { ratio: 1, desc: 'Empty' } };
    const { network } = await openPlayground(pour(DONE).reply, '/playground', {
      more: { 'GET /api/user/self/groups': success(groups) },
    });
    const group = await screen.findByLabelText<HTMLSelectElement>(zh.group);
    await waitFor(() => expect(group.value).toBe('default'));
    const main = within(screen.getByRole('main'));
    expect(await main.findByText('gpt-4o-mini')).toBeTruthy();
    fireEvent.change(group, { target: { value: 'empty' } });
    expect(await main.findByText(zh.noModelsUser)).toBeTruthy();
    await waitFor(() => expect(main.queryByText('gpt-4o-mini')).toBeNull());
    fireEvent.mouseDown(await screen.findByLabelText(zh.model));
    expect(await screen.findByText(zh.noModels)).toBeTruthy();
    fireEvent.change(group, { target: { value: 'default' } });
    expect(await main.findByText('gpt-4o')).toBeTruthy();
    expect(network.of('POST', '/pg/chat/completions')).toEqual([]);
  });

  it('restores an answer that was cleared while running as a stopped one', async () => {
    const stream = pour(piece('Hel'));
    await openPlayground(stream.reply);
    await say('Tell me');
    await screen.findByText('Hel');
    fireEvent.click(screen.getByRole('button', { name: zh.clear }));
    fireEvent.click(within(await screen.findByText(new RegExp(zh.cleared))).getByRole('button'));
    await screen.findByText('Hel');
    expect(answers().at(-1)?.getAttribute('data-status')).toBe('complete');
    expect(screen.queryByRole('button', { name: zh.stop })).toBeNull();
  });

  it('clears the conversation and restores it', async () => {
    await openPlayground(pour(DONE).reply);
    fireEvent.click(await screen.findByRole('button', { name: zh.clear }));
    const empty = await screen.findByText(new RegExp(zh.cleared));
    expect(screen.queryByText(zh.sample.assistant)).toBeNull();
    fireEvent.click(within(empty).getByRole('button'));
    expect(await screen.findByText(zh.sample.assistant)).toBeTruthy();
  });

  it('says that the session has expired when the address does', async () => {
    await openPlayground(pour(DONE).reply, '/playground?expired=true');
    expect(await screen.findByText(zh.expired)).toBeTruthy();
  });
});
