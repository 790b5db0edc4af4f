import { describe, expect, it } from '@jest/globals';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { json, refusal, success } from '../../testing/fake-fetch.js';
import { baseStatus, renderPage, root, selfOf } from '../../testing/render-page.js';
import { texts as shell } from '../../app/i18n/zh.js';
import { texts as zh } from './zh.js';

const open = { status: false, root_init: false, database_type: 'postgres' };
const fill = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const submit = () => fireEvent.click(screen.getByRole('button', { name: zh.submit }));

describe('set-up wizard', () => {
  it('creates the administrator, signs in with the same credentials and opens the first steps', async () => {
    let done = false;
    const { router, network } = await renderPage('/', {
      replies: {
        'GET /api/status': () => success({ ...baseStatus, setup: done }),
        'GET /api/setup': success(open),
        'POST /api/setup': () => {
          done = true;
          return success();
        },
        'POST /api/user/login': success(root),
        'GET /api/user/self': success(selfOf(root)),
        'GET /api/channel/count': success({ all: 0, enabled: 0, disabled: 0, auto_disabled: 0 }),
        'GET /api/token/': success([]),
      },
    });
    await screen.findByLabelText(zh.admin.username);
    fill(zh.admin.username, 'root');
    fill(zh.admin.password, 'long-enough');
    fill(zh.admin.confirm, 'long-enough');
    fireEvent.click(screen.getByLabelText(new RegExp(zh.mode.self.name)));
    submit();
    await waitFor(() => expect(router.state.location.pathname).toBe('/'));
    // The first steps are shown; they begin with a channel.
    expect(await screen.findAllByRole('listitem')).not.toHaveLength(0);
    expect(network.of('POST', '/api/setup')[0]?.body).toEqual({
      username: 'root',
      password: 'long-enough',
      confirmPassword: 'long-enough',
      SelfUseModeEnabled: true,
      DemoSiteEnabled: false,
    });
    expect(network.of('POST', '/api/user/login')[0]?.body).toEqual({ username: 'root', password: 'long-enough' });
  });

  it('offers no link that leads back to the wizard', async () => {
    await renderPage('/', { status: { setup: false }, replies: { 'GET /api/setup': success(open) } });
    await screen.findByLabelText(zh.admin.username);
    const bar = within(screen.getByRole('banner'));
    expect(bar.queryAllByRole('link').map((link) => link.getAttribute('href'))).toEqual(['/']);
    expect(bar.getByRole('button', { name: shell.shell.language })).toBeTruthy();
  });

  it('reports missing values at the fields and keeps the others', async () => {
    const { network } = await renderPage('/setup', {
      status: { setup: false },
      replies: { 'GET /api/setup': success(open) },
    });
    await screen.findByLabelText(zh.admin.username);
    fill(zh.admin.password, 'short');
    fill(zh.admin.confirm, 'other');
    submit();
    expect(await screen.findByText(zh.error.username)).toBeTruthy();
    expect(screen.getByText(zh.error.password)).toBeTruthy();
    expect(screen.getByText(zh.error.confirm)).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(zh.admin.password).value).toBe('short');
    expect(network.of('POST', '/api/setup')).toEqual([]);
  });

  it('asks for the printed token when the server requires it, and sends it', async () => {
    const { network } = await renderPage('/setup', {
      status: { setup: false },
      replies: {
        'GET /api/setup': success({ ...open, token_required: true }),
        'POST /api/setup': refusal('wrong token', 'setup-token-wrong'),
      },
    });
    await screen.findByLabelText(zh.token.label);
    fill(zh.admin.username, 'root');
    fill(zh.admin.password, 'long-enough');
    fill(zh.admin.confirm, 'long-enough');
    submit();
    expect(await screen.findByText(zh.error.token)).toBeTruthy();
    expect(network.of('POST', '/api/setup')).toEqual([]);
    fill(zh.token.label, ' the-printed-token ');
    submit();
    await waitFor(() =>
      expect(network.of('POST', '/api/setup')[0]?.body).toMatchObject({ setup_token: 'the-printed-token' }),
    );
    expect(await screen.findByText('wrong token')).toBeTruthy();
  });

  it('warns about SQLite only, and hides the fields of the administrator when one exists', async () => {
    const first = await renderPage('/setup', {
      status: { setup: false },
      replies: { 'GET /api/setup': success({ ...open, database_type: 'sqlite' }) },
    });
    expect(await screen.findByText(zh.database.title)).toBeTruthy();
    first.unmount();

    await renderPage('/setup', {
      status: { setup: false },
      replies: { 'GET /api/setup': success({ ...open, root_init: true }) },
    });
    expect(await screen.findByText(zh.admin.exists)).toBeTruthy();
    expect(screen.queryByText(zh.database.title)).toBeNull();
    expect(screen.queryByLabelText(zh.admin.username)).toBeNull();
  });

  it('shows a refusal of the server beside the button', async () => {
    await renderPage('/setup', {
      status: { setup: false },
      replies: {
        'GET /api/setup': success({ ...open, root_init: true }),
        'POST /api/setup': json(refusal('Done already', 'setup-done'), 400),
      },
    });
    await screen.findByText(zh.admin.exists);
    submit();
    expect(await screen.findByText('Done already')).toBeTruthy();
  });

  it('says that the state of the set-up could not be loaded', async () => {
    await renderPage('/setup', {
      status: { setup: false },
      replies: { 'GET /api/setup': json(refusal('The database is away', 'internal', { kind: 'unavailable' }), 503) },
    });
    expect(await screen.findByText(zh.error.status)).toBeTruthy();
  });
});
