import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { channel, channelReplies } from '../../testing/channel-replies.js';
import { texts as zh } from './zh.js';

describe('copy of a channel', () => {
  /** The drawer that copies channel 1 as `user`. */
  async function openCopy(user: typeof admin) {
    const { network } = await renderPage('/channel/add/1', {
      user,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/1': success(channel(1)),
        'GET /api/channel/fetch_models/1': success(['stored']),
        'POST /api/channel/': success({ ids: [2] }),
      }),
    });
    const drawer = within(await screen.findByRole('dialog', { name: zh.create }));
    const name = await drawer.findByLabelText<HTMLInputElement>(zh.form.name);
    await waitFor(() => expect(name.value).toBe(`channel-1${zh.copySuffix}`));
    const submit = () => fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    const moveTo = (address: string) =>
      fireEvent.change(drawer.getByLabelText(zh.form.address.optional), { target: { value: address } });
    const sent = () => network.of('POST', '/api/channel/').map(({ body }) => body);
    return { drawer, network, submit, moveTo, sent };
  }

  it('keeps the key of the original when none is entered, and says so', async () => {
    const { drawer, submit, sent } = await openCopy(admin);
    expect(drawer.getByText(zh.form.keyCopied)).toBeTruthy();
    submit();
    await waitFor(() => expect(sent()).toMatchObject([{ copy_from: 1, key: '', name: `channel-1${zh.copySuffix}` }]));
  });

  it('needs the key when it names another address', async () => {
    const { drawer, submit, moveTo, sent } = await openCopy(admin);
    moveTo('https://other.example');
    expect(await drawer.findByText(zh.form.keyNeeded)).toBeTruthy();
    submit();
    await waitFor(() => expect(drawer.getByLabelText(zh.form.key).getAttribute('aria-invalid')).toBe('true'));
    expect(sent()).toEqual([]);
    fireEvent.change(drawer.getByLabelText(zh.form.key), { target: { value: 'sk-copy' } });
    submit();
    await waitFor(() => expect(sent()).toMatchObject([{ key: 'sk-copy', base_url: 'https://other.example' }]));
  });

  it('may go to another address with its key by a super administrator', async () => {
    const { drawer, submit, moveTo, sent } = await openCopy({ ...admin, role: 100 });
    moveTo('https://other.example');
    expect(drawer.getByText(zh.form.keyCopied)).toBeTruthy();
    submit();
    await waitFor(() => expect(sent()).toMatchObject([{ copy_from: 1, key: '', base_url: 'https://other.example' }]));
  });

  it.each([
    ['an administrator', admin, zh.form.keyFirst],
    ['a super administrator, who may save without the key', { ...admin, role: 100 }, zh.form.keyOrSave],
  ])('fetches the models with the key of the original, unless %s names another address', async (_, user, told) => {
    const { drawer, network, moveTo } = await openCopy(user);
    const fetchModels = () => fireEvent.click(drawer.getByRole('button', { name: zh.form.fetchModels }));
    fetchModels();
    expect(await drawer.findByText('stored')).toBeTruthy();
    moveTo('https://other.example');
    fetchModels();
    expect(await screen.findByText(told)).toBeTruthy();
    expect(network.of('GET', '/api/channel/fetch_models/1')).toHaveLength(1);
  });

  it.each([
    ['disabled', { status: 2 }, { status: 2 }],
    ['automatically disabled', { status: 3 }, { status: 2 }],
    ['limited', { max_input_tokens: 4000 }, { status: 1, max_input_tokens: 4000 }],
  ])('copies a channel that is %s with what its form does not show', async (_, stored, sent) => {
    const { network } = await renderPage('/channel/add/1', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/1': success(channel(1, stored)),
        'POST /api/channel/': success({ ids: [2] }),
      }),
    });
    const drawer = within(await screen.findByRole('dialog', { name: zh.create }));
    const name = await drawer.findByLabelText<HTMLInputElement>(zh.form.name);
    await waitFor(() => expect(name.value).toBe(`channel-1${zh.copySuffix}`));
    expect(drawer.queryByText(zh.form.copyOff) !== null).toBe(sent.status === 2);
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    await waitFor(() =>
      expect(network.of('POST', '/api/channel/')[0]?.body).toMatchObject({ ...sent, copy_from: 1, key: '' }),
    );
  });

  it('copies a channel with several keys as one', async () => {
    const { network } = await renderPage('/channel/add/1', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/1': success(channel(1, { multi_key_mode: 'polling', multi_key_size: 2 })),
        'POST /api/channel/': success({ ids: [2] }),
      }),
    });
    const drawer = within(await screen.findByRole('dialog', { name: zh.create }));
    const mode = await drawer.findByLabelText<HTMLSelectElement>(zh.form.keyMode.label);
    await waitFor(() => expect(mode.value).toBe('polling'));
    fireEvent.change(drawer.getByLabelText(zh.form.key), { target: { value: 'one\ntwo' } });
    expect(await drawer.findByText(new RegExp(zh.form.keysCount.replace('{{count}}', '2')))).toBeTruthy();
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    await waitFor(() =>
      expect(network.of('POST', '/api/channel/')[0]?.body).toMatchObject({
        key: 'one\ntwo',
        multi_key_mode: 'polling',
      }),
    );
  });

  it('counts no keys of one channel for a type whose channels have one each', async () => {
    await renderPage('/channel/add/1', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/1': success(channel(1, { multi_key_mode: 'polling', multi_key_size: 2 })),
      }),
    });
    const drawer = within(await screen.findByRole('dialog', { name: zh.create }));
    await drawer.findByLabelText(zh.form.keyMode.label);
    const choose = (type: string) => fireEvent.change(drawer.getByLabelText(zh.form.type), { target: { value: type } });
    const counted = (text: string) => drawer.queryByText(new RegExp(text.replace('{{count}}', '2'))) !== null;
    fireEvent.change(drawer.getByLabelText(zh.form.key), { target: { value: 'one\ntwo' } });
    await waitFor(() => expect(counted(zh.form.keysCount)).toBe(true));
    choose('2');
    await waitFor(() => expect(counted(zh.form.keyCount)).toBe(true));
    expect(counted(zh.form.keysCount)).toBe(false);
    choose('41');
    await waitFor(() => expect(counted(zh.form.keyCount)).toBe(false));
    expect(counted(zh.form.keysCount)).toBe(false);
  });
});
