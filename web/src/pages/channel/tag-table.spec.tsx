import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { channelApi } from '../../api/channel.api.js';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Call, Replies } from '../../testing/fake-fetch.js';
import { json, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const channel = (id: number, tag: string) => ({
  ...{ id, type: 1, name: `channel-${id}`, status: 1, openai_organization: null, base_url: '', other: '' },
  ...{ models: 'gpt-4o', group: 'default', model_mapping: null, status_code_mapping: null, param_override: null },
  ...{ setting: null, auto_ban: 1, test_model: null, priority: 0, weight: 0, tag, created_time: 1, other_info: '' },
  ...{ test_time: 0, response_time: 0, balance: 0, balance_updated_time: 0, used_quota: 0 },
});
const replies: Replies = {
  'GET /api/about': success(''),
  'GET /api/channel/search': ({ query }: Call) =>
    json(success(query.get('p') === '1' ? [channel(11, 'second')] : [channel(1, 'first')]), 200, {
      'X-Total-Count': '11',
    }),
  'GET /api/channel/count': success({ all: 11, enabled: 11, disabled: 0, auto_disabled: 0 }),
  'GET /api/group/': success(['default']),
  'GET /api/channel/models': success([]),
};

async function open(own: Replies = {}) {
  const { router, store } = await renderPage('/about', { user: admin, replies: { ...replies, ...own } });
  await act(() => router.navigate('/channel?tags=1'));
  return { router, store, table: await screen.findByRole('table', { name: zh.tag.mode }) };
}

describe('channels by tag', () => {
  it('keep the opened row open, and not another tag that takes its position', async () => {
    const { table } = await open();
    fireEvent.click(await within(table).findByRole('button', { name: shell.action.expand }));
    expect(await screen.findByText('channel-1')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: shell.table.next }));
    await within(table).findByText('second');
    expect(screen.queryByText('channel-11')).toBeNull();
    expect(within(table).getByRole('button', { name: shell.action.expand })).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: shell.table.previous }));
    await within(table).findByText('first');
    expect(await screen.findByText('channel-1')).toBeTruthy();
  });

  it('leave one history entry when the form of a tag is closed: the first "back" leaves the list', async () => {
    const { router, table } = await open();
    fireEvent.click(await within(table).findByRole('button', { name: zh.tag.edit }));
    const drawer = await screen.findByRole('dialog');
    expect(router.state.location.search).toContain('edit=first');
    fireEvent.click(within(drawer).getByRole('button', { name: shell.action.cancel }));
    await waitFor(() => expect(router.state.location.search).toBe('?tags=1'));
    await act(() => router.navigate(-1));
    expect(router.state.location.pathname).toBe('/about');
  });

  it('keep the form of a tag open when the tag is no longer among the rows', async () => {
    let tag = 'first';
    const listed = () => json(success([channel(1, tag)]), 200, { 'X-Total-Count': '1' });
    const { store, table } = await open({ 'GET /api/channel/search': listed });
    fireEvent.click(await within(table).findByRole('button', { name: zh.tag.edit }));
    fireEvent.change(await screen.findByLabelText(zh.tag.newName), { target: { value: 'mine' } });
    tag = 'taken-over';
    act(() => void store.dispatch(channelApi.util.invalidateTags(['Channel'])));
    await within(table).findByText('taken-over');
    expect(screen.getByLabelText<HTMLInputElement>(zh.tag.newName).value).toBe('mine');
  });

  it('say what they are, and do not offer to enable what is enabled', async () => {
    let status = 1;
    const listed = () =>
      json(success([channel(1, 'first'), { ...channel(2, 'first'), status }]), 200, { 'X-Total-Count': '1' });
    const { store, table } = await open({ 'GET /api/channel/search': listed });
    expect(await within(table).findByText(zh.tag.kind)).toBeTruthy();
    const enableAll = () => within(table).getByRole('button', { name: zh.tag.enableAll });
    expect(enableAll().getAttribute('aria-disabled')).toBe('true');
    expect(enableAll().title).toBe(zh.tag.allEnabled);
    status = 2;
    act(() => void store.dispatch(channelApi.util.invalidateTags(['Channel'])));
    await within(table).findByText(zh.tag.counts.replace('{{enabled}}', '1').replace('{{total}}', '2'));
    expect(enableAll().getAttribute('aria-disabled')).toBeNull();
  });
});
