import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { json, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const channel = {
  ...{ id: 1, type: 1, name: 'one', status: 1, openai_organization: null, base_url: '', other: '', models: 'gpt-4o' },
  ...{ group: 'default', model_mapping: null, status_code_mapping: null, param_override: null, setting: null },
  ...{ auto_ban: 1, test_model: null, priority: 0, weight: 0, tag: null, created_time: 1, test_time: 0 },
  ...{ response_time: 0, balance: 0, balance_updated_time: 0, used_quota: 0, other_info: '' },
};

async function open() {
  const { network, router } = await renderPage('/channel/edit/1', {
    user: admin,
    replies: {
      'GET /api/channel/search': json(success([channel]), 200, { 'X-Total-Count': '1' }),
      'GET /api/channel/count': success({ all: 1, enabled: 1, disabled: 0, auto_disabled: 0 }),
      'GET /api/group/': success(['default']),
      'GET /api/channel/models': success([]),
      'GET /api/channel/1': success(channel),
      'GET /api/channel/1/cost': success([]),
      'PUT /api/channel/': success(channel),
      'GET /api/channel/test/1': { success: true, message: '', time: 0.4 },
    },
  });
  const drawer = within(await screen.findByRole('dialog', { name: /one/ }));
  const name = await drawer.findByLabelText<HTMLInputElement>(zh.form.name);
  await waitFor(() => expect(name.value).toBe('one'));
  const type = (value: string) => fireEvent.change(name, { target: { value } });
  const button = (label: string) => drawer.getByRole('button', { name: label });
  const saved = async () => {
    await waitFor(() => expect(router.state.location.pathname).toBe('/channel'));
    return network.of('PUT', '/api/channel/').map(({ body }) => (body as { name: string }).name);
  };
  const tests = () => network.of('GET', '/api/channel/test/1').length;
  return { drawer, name, type, button, saved, tests };
}

describe('the two buttons of a channel', () => {
  it('save once and test once, however often they are pressed', async () => {
    const { type, button, saved, tests } = await open();
    type('two');
    fireEvent.click(button(zh.form.saveAndTest));
    fireEvent.click(button(zh.form.saveAndTest));
    fireEvent.click(button(shell.action.submit));
    expect(await saved()).toEqual(['two']);
    await waitFor(() => expect(tests()).toBe(1));
  });

  it('test once and claim no update when nothing was changed, however often they are pressed', async () => {
    const { button, saved, tests } = await open();
    const pressed = button(zh.form.saveAndTest);
    fireEvent.click(pressed);
    // The second press comes when the first has done all its work, and the drawer is still closing.
    await waitFor(() => expect(tests()).toBe(1));
    fireEvent.click(pressed);
    expect(await saved()).toEqual([]);
    expect(await screen.findByText(/one.*0\.40/)).toBeTruthy();
    expect(tests()).toBe(1);
    expect(screen.queryByText(zh.updated)).toBeNull();
  });

  it('submit by Enter without a test', async () => {
    const { name, button } = await open();
    expect(name.form?.querySelector('[type="submit"]')).toBe(button(shell.action.submit));
  });

  it('do not test after a later plain save when "save and test" was refused', async () => {
    const { drawer, type, button, saved, tests } = await open();
    type('');
    fireEvent.click(button(zh.form.saveAndTest));
    await drawer.findByText(zh.form.nameAndKey);
    type('two');
    fireEvent.click(button(shell.action.submit));
    expect(await saved()).toEqual(['two']);
    expect(tests()).toBe(0);
  });
});
