import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { channelTypes, defaultModelsOf } from '@tollgate/contracts/channel-types';
import { texts as shellEn } from '../../app/i18n/en.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { channel, channelReplies } from '../../testing/channel-replies.js';
import { texts as en } from './en.js';
import { texts as zh } from './zh.js';

describe('channel page', () => {
  it('opens the list and the drawer from an address, and checks the form with the specified messages', async () => {
    const { network } = await renderPage('/channel/add', { user: admin, replies: channelReplies([]) });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    expect(await screen.findByText(zh.empty.title)).toBeTruthy();
    fireEvent.click(within(drawer).getByRole('button', { name: zh.form.clearModels }));
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    expect(await within(drawer).findAllByText(zh.form.nameAndKey)).toHaveLength(2);
    expect(within(drawer).getByText(zh.form.oneModel)).toBeTruthy();
    expect(network.of('POST', '/api/channel/')).toEqual([]);
  });

  it('edits a channel without receiving its key and sends only changed fields', async () => {
    const { network, router } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/1': success(channel(1)),
        'PUT /api/channel/': success(channel(1)),
      }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    const name = await within(drawer).findByLabelText<HTMLInputElement>(zh.form.name);
    await waitFor(() => expect(name.value).toBe('channel-1'));
    expect(within(drawer).getByLabelText<HTMLInputElement>(zh.form.key).value).toBe('');
    fireEvent.change(name, { target: { value: 'renamed' } });
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/channel'));
    expect(network.of('PUT', '/api/channel/')[0]?.body).toEqual({
      ...{ id: 1, name: 'renamed', expected: { name: 'channel-1' } },
    });
  });

  it('requires the key again before a changed address is saved', async () => {
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/1': success(channel(1)),
        'PUT /api/channel/': success(channel(1)),
      }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    const address = await within(drawer).findByLabelText<HTMLInputElement>(zh.form.address.optional);
    await waitFor(() => expect(within(drawer).getByText(new RegExp(zh.form.keyStored))).toBeTruthy());
    fireEvent.change(address, { target: { value: 'https://elsewhere.example' } });
    expect(await within(drawer).findByText(new RegExp(zh.form.keyNeeded))).toBeTruthy();
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    const key = within(drawer).getByLabelText<HTMLInputElement>(zh.form.key);
    await waitFor(() => expect(key.getAttribute('aria-invalid')).toBe('true'));
    expect(network.of('PUT', '/api/channel/')).toEqual([]);
    fireEvent.change(key, { target: { value: 'sk-again' } });
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() =>
      expect(network.of('PUT', '/api/channel/')[0]?.body).toEqual({
        ...{ id: 1, base_url: 'https://elsewhere.example', key: 'sk-again' },
        expected: { base_url: '' },
      }),
    );
  });

  it('offers every channel type, and marks the types that can no longer be called', async () => {
    await renderPage('/channel/add', { user: admin, replies: channelReplies([]) });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    const field = within(drawer).getByLabelText<HTMLSelectElement>(zh.form.type);
    expect([...field.options].map(({ value }) => Number(value))).toEqual(Object.keys(channelTypes).map(Number));
    fireEvent.change(field, { target: { value: '21' } });
    await waitFor(() => expect(within(drawer).getByText(zh.form.banner.retired)).toBeTruthy());
    expect(field.selectedOptions[0]?.textContent).toBe(
      zh.form.retiredType.replace('{{label}}', zh.type['ai-proxy-library']),
    );
    expect(within(drawer).getByLabelText(zh.form.other['knowledge-id'])).toBeTruthy();
  });

  it('accepts one region, or one per model, for Vertex', async () => {
    await renderPage('/channel/add', { user: admin, replies: channelReplies([]) });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    fireEvent.change(within(drawer).getByLabelText(zh.form.type), { target: { value: '41' } });
    const field = await within(drawer).findByLabelText<HTMLTextAreaElement>(zh.form.other.region);
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(within(drawer).getByText(zh.form.noRegion)).toBeTruthy());
    fireEvent.change(field, { target: { value: '{"a":"us-east5"}' } });
    await waitFor(() => expect(within(drawer).getByText(zh.form.badRegion)).toBeTruthy());
    fireEvent.click(within(drawer).getByRole('button', { name: zh.form.regionTemplate }));
    await waitFor(() => expect(JSON.parse(field.value)).toHaveProperty('default'));
  });

  it.each([
    ['39', 'account-id'],
    ['49', 'bot-id'],
  ] as const)('asks for what type %s cannot be called without', async (type, field) => {
    const { network } = await renderPage('/channel/add', { user: admin, replies: channelReplies([]) });
    const drawer = await screen.findByRole('dialog', { name: zh.create });
    fireEvent.change(within(drawer).getByLabelText(zh.form.type), { target: { value: type } });
    const input = await within(drawer).findByLabelText<HTMLInputElement>(zh.form.other[field]);
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(input.getAttribute('aria-invalid')).toBe('true'));
    expect(within(drawer).getByText(zh.form.required)).toBeTruthy();
    expect(network.of('POST', '/api/channel/')).toEqual([]);
    fireEvent.change(input, { target: { value: 'mine' } });
    await waitFor(() => expect(input.getAttribute('aria-invalid')).not.toBe('true'));
  });

  it('changes a stored channel that lacks it, as long as the field stays as it is', async () => {
    const stored = channel(1, { type: 49, other: '' });
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: channelReplies([stored], {
        'GET /api/channel/1': success(stored),
        'PUT /api/channel/': success(stored),
      }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    const name = await within(drawer).findByLabelText<HTMLInputElement>(zh.form.name);
    await waitFor(() => expect(name.value).toBe('channel-1'));
    const bot = within(drawer).getByLabelText<HTMLInputElement>(zh.form.other['bot-id']);
    fireEvent.change(bot, { target: { value: ' ' } });
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(bot.getAttribute('aria-invalid')).toBe('true'));
    fireEvent.change(bot, { target: { value: '' } });
    fireEvent.change(name, { target: { value: 'renamed' } });
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(network.of('PUT', '/api/channel/')[0]?.body).toMatchObject({ id: 1, name: 'renamed' }));
  });

  it('stores the policy for disconnecting clients in the extra settings', async () => {
    const stored = channel(1, { setting: '{"force_format":true}' });
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: channelReplies([stored], {
        'GET /api/channel/1': success(stored),
        'PUT /api/channel/': success(stored),
      }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    await waitFor(() => expect(within(drawer).getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('channel-1'));
    const policy = await within(drawer).findByLabelText<HTMLSelectElement>(zh.form.policy.label);
    expect(policy.value).toBe('stop');
    fireEvent.change(policy, { target: { value: 'drain' } });
    await waitFor(() => expect(within(drawer).getByText(zh.form.policy.drainHint)).toBeTruthy());
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    await waitFor(() => expect(network.of('PUT', '/api/channel/')).toHaveLength(1));
    const { setting } = network.of('PUT', '/api/channel/')[0]?.body as { setting: string };
    expect(JSON.parse(setting)).toEqual({ force_format: true, abort_policy: 'drain' });
  });

  it('refuses a mapping to an invalid status, and an unknown policy', async () => {
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: channelReplies([channel(1)], { 'GET /api/channel/1': success(channel(1)) }),
    });
    const drawer = await screen.findByRole('dialog', { name: /channel-1/ });
    await waitFor(() => expect(within(drawer).getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('channel-1'));
    const type = (label: string, value: string) =>
      fireEvent.change(within(drawer).getByLabelText(label), { target: { value } });
    type(zh.form.statusMapping, '{"400":"ok"}');
    type(zh.form.setting, '{"abort_policy":"wait"}');
    expect(within(drawer).getByLabelText(zh.form.policy.label).getAttribute('aria-disabled')).toBe('true');
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.submit }));
    expect(await within(drawer).findByText(zh.form.badStatus.target)).toBeTruthy();
    expect(within(drawer).getByText(zh.form.badSetting.policy)).toBeTruthy();
    expect(network.of('PUT', '/api/channel/')).toEqual([]);
  });

  it('says how large a priority and a weight may be', async () => {
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: channelReplies([channel(1)], { 'GET /api/channel/1': success(channel(1)) }),
    });
    const drawer = within(await screen.findByRole('dialog', { name: /channel-1/ }));
    await waitFor(() => expect(drawer.getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('channel-1'));
    for (const label of [zh.form.priority, zh.form.weight])
      fireEvent.change(drawer.getByLabelText(label), { target: { value: '1000000001' } });
    fireEvent.click(drawer.getByRole('button', { name: shell.action.submit }));
    const said = (text: string) => text.replace('{{max, integer}}', '1,000,000,000');
    expect(await drawer.findByText(said(zh.form.bigPriority))).toBeTruthy();
    expect(drawer.getByText(said(zh.form.bigWeight))).toBeTruthy();
    expect(network.of('PUT', '/api/channel/')).toEqual([]);
  });

  it.each([
    ['zh', zh, shell],
    ['en', en, shellEn],
  ] as const)(
    'asks about an address that ends in /v1 before it is saved by Enter, once (%s)',
    async (language, own, app) => {
      const { network } = await renderPage('/channel/edit/1', {
        user: admin,
        language,
        replies: channelReplies([channel(1)], {
          'GET /api/channel/1': success(channel(1)),
          'PUT /api/channel/': success(channel(1)),
        }),
      });
      const drawer = within(await screen.findByRole('dialog', { name: /channel-1/ }));
      await waitFor(() => expect(drawer.getByLabelText<HTMLInputElement>(own.form.name).value).toBe('channel-1'));
      const address = drawer.getByLabelText<HTMLInputElement>(own.form.address.optional);
      const write = (field: HTMLElement, value: string) => fireEvent.change(field, { target: { value } });
      const enter = () => fireEvent.submit(address.form as HTMLFormElement);
      const answer = async (button: string) => {
        const question = within(await screen.findByRole('alertdialog', { name: own.form.v1.title }));
        fireEvent.click(question.getByRole('button', { name: button }));
        await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
      };
      write(address, 'https://a.example/v1');
      write(drawer.getByLabelText(own.form.key), 'sk-again');
      enter();
      await answer(own.form.v1.action);
      expect(address.value).toBe('https://a.example');
      write(address, 'https://b.example/v1/');
      enter();
      await answer(app.action.cancel);
      expect(network.of('PUT', '/api/channel/')).toEqual([]);
      // The address was kept knowingly.
      fireEvent.blur(address);
      enter();
      await waitFor(() =>
        expect(network.of('PUT', '/api/channel/')[0]?.body).toMatchObject({ base_url: 'https://b.example/v1' }),
      );
      expect(screen.queryByRole('alertdialog')).toBeNull();
    },
  );

  it('does not ask about a stored address when something else is saved', async () => {
    const stored = channel(1, { base_url: 'https://a.example/v1' });
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: channelReplies([stored], {
        'GET /api/channel/1': success(stored),
        'PUT /api/channel/': success(stored),
      }),
    });
    const drawer = within(await screen.findByRole('dialog', { name: /channel-1/ }));
    const name = await drawer.findByLabelText<HTMLInputElement>(zh.form.name);
    await waitFor(() => expect(name.value).toBe('channel-1'));
    fireEvent.change(name, { target: { value: 'two' } });
    fireEvent.submit(name.form as HTMLFormElement);
    await waitFor(() => expect(network.of('PUT', '/api/channel/')).toHaveLength(1));
  });

  it('takes the models of another type only in place of none, or of those of the type before', async () => {
    await renderPage('/channel/add', { user: admin, replies: channelReplies([]) });
    const drawer = within(await screen.findByRole('dialog', { name: zh.create }));
    const choose = (type: string) => fireEvent.change(drawer.getByLabelText(zh.form.type), { target: { value: type } });
    const count = (models: number) => drawer.findByLabelText(zh.form.models.replace('{{count}}', String(models)));
    await count(defaultModelsOf(1).length);
    choose('36');
    await count(defaultModelsOf(36).length);
    fireEvent.click(drawer.getByRole('button', { name: zh.form.clearModels }));
    choose('1');
    await count(defaultModelsOf(1).length);
    fireEvent.change(drawer.getByLabelText(zh.form.customModels), { target: { value: 'my-own' } });
    fireEvent.click(drawer.getByRole('button', { name: zh.form.fill }));
    await count(defaultModelsOf(1).length + 1);
    choose('36');
    await act(async () => undefined);
    await count(defaultModelsOf(1).length + 1);
  });

  it.each([
    ['zh', zh],
    ['en', en],
  ] as const)(
    'adds the built-in models of the two documented families, whatever the type (%s)',
    async (language, own) => {
      const builtIn = ['claude-3', 'gpt-4o', 'text-embedding-3-small', 'my-gpt-4'].map((id) => ({ id }));
      await renderPage('/channel/add', {
        user: admin,
        language,
        replies: channelReplies([], { 'GET /api/channel/models': success(builtIn) }),
      });
      const drawer = within(await screen.findByRole('dialog', { name: own.create }));
      fireEvent.change(drawer.getByLabelText(own.form.type), { target: { value: '14' } });
      fireEvent.click(drawer.getByRole('button', { name: own.form.clearModels }));
      const fill = drawer.getByRole('button', { name: own.form.fillRelated });
      expect(fill.title).toBe(own.form.fillRelatedHint);
      await waitFor(() => {
        fireEvent.click(fill);
        expect(drawer.getByText('text-embedding-3-small')).toBeTruthy();
      });
      expect(drawer.getByText('gpt-4o')).toBeTruthy();
      expect(drawer.queryByText('claude-3')).toBeNull();
      expect(drawer.queryByText('my-gpt-4')).toBeNull();
    },
  );

  it('asks no other upstream for its models than the one that the form names', async () => {
    const { network } = await renderPage('/channel/edit/1', {
      user: admin,
      replies: channelReplies([channel(1)], {
        'GET /api/channel/1': success(channel(1)),
        'GET /api/channel/1/cost': success([]),
        'GET /api/channel/fetch_models/1': success(['stored']),
        'POST /api/channel/fetch_models': success(['typed']),
      }),
    });
    const drawer = within(await screen.findByRole('dialog', { name: /channel-1/ }));
    await waitFor(() => expect(drawer.getByLabelText<HTMLInputElement>(zh.form.name).value).toBe('channel-1'));
    const fetchModels = () => fireEvent.click(drawer.getByRole('button', { name: zh.form.fetchModels }));
    fetchModels();
    expect(await drawer.findByText('stored')).toBeTruthy();
    // The models that were there before stay.
    expect(drawer.getByText('gpt-4o')).toBeTruthy();
    const base_url = 'https://elsewhere.example';
    fireEvent.change(drawer.getByLabelText(zh.form.address.optional), { target: { value: base_url } });
    fetchModels();
    expect(await screen.findByText(zh.form.keyFirst)).toBeTruthy();
    expect(network.of('GET', '/api/channel/fetch_models/1')).toHaveLength(1);
    fireEvent.change(drawer.getByLabelText(zh.form.key), { target: { value: 'sk-again' } });
    fetchModels();
    expect(await drawer.findByText('typed')).toBeTruthy();
    expect(drawer.getByText('stored')).toBeTruthy();
    const asked = () => network.of('POST', '/api/channel/fetch_models').map(({ body }) => body);
    expect(asked()).toEqual([{ key: 'sk-again', type: 1, base_url, other: '', setting: '' }]);
    // A type without an address.
    fireEvent.change(drawer.getByLabelText(zh.form.type), { target: { value: '45' } });
    await waitFor(() => expect(drawer.queryByLabelText(zh.form.address.optional)).toBeNull());
    fetchModels();
    await waitFor(() =>
      expect(asked().at(-1)).toEqual({ key: 'sk-again', type: 45, base_url: '', other: '', setting: '' }),
    );
    // A type whose address contains the account.
    fireEvent.change(drawer.getByLabelText(zh.form.type), { target: { value: '39' } });
    fireEvent.change(await drawer.findByLabelText(zh.form.other['account-id']), { target: { value: ' acc9 ' } });
    fireEvent.change(drawer.getByLabelText(zh.form.setting), { target: { value: '{"proxy":"http://10.0.0.1"}' } });
    fetchModels();
    await waitFor(() =>
      expect(asked().at(-1)).toMatchObject({ type: 39, other: 'acc9', setting: '{"proxy":"http://10.0.0.1"}' }),
    );
  });
});
