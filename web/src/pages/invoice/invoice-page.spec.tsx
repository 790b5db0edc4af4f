import { describe, expect, it } from '@jest/globals';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { texts as shell } from '../../app/i18n/zh.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { admin, renderPage } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const tokens = { requests: 0, input: 0, cached: 0, output: 0 };
const totals = {
  ...{ invoice: { ...tokens, amount: null }, upstream: tokens, ours: tokens, difference: { input: 0, output: 0 } },
  journal: { requests: 0, sales: 0, cost: null, costed: 0 },
};
const invoice = {
  ...{ id: 1, name: 'January', format: 'openai', channel_ids: [1], first_day: '2026-01-01', last_day: '2026-01-31' },
  ...{ zone: 'UTC', rows: 1, digest: 'd', imported_by: 1, imported_time: 1 },
};

async function chooseFile(
  name: string,
  text: string,
  read = async () => new TextEncoder().encode(text).buffer,
): Promise<void> {
  const field = document.querySelector(`input[type=file][aria-label="${zh.form.file}"]`)!;
  // jsdom's `File` cannot be read by `arrayBuffer()`, so a file with this method is made here.
  const file = Object.assign(new File([text], name, { type: 'text/csv' }), { arrayBuffer: read });
  fireEvent.change(field, { target: { files: [file] } });
  await screen.findByText(name);
}

/** Opens the import dialog and fills it, with a file that contains `text`. */
async function fillImport(name: string, text: string, read?: () => Promise<ArrayBuffer>): Promise<void> {
  fireEvent.click((await screen.findAllByRole('button', { name: zh.import }))[0]!);
  fireEvent.change(await screen.findByLabelText(zh.form.name), { target: { value: 'January' } });
  fireEvent.change(screen.getByLabelText(zh.form.channels), { target: { value: '1' } });
  await chooseFile(name, text, read);
}

describe('an invoice', () => {
  it('shows nothing of another invoice when it cannot be loaded', async () => {
    const { router } = await renderPage('/invoice/1', {
      user: admin,
      replies: {
        'GET /api/invoice/1': success({ invoice, complete: true, matches: [], totals }),
        'GET /api/invoice/2': refusal('failed', 'internal'),
      },
    });
    await screen.findByRole('heading', { level: 1, name: 'January' });
    await act(() => router.navigate('/invoice/2'));
    expect((await screen.findByRole('alert')).textContent).toContain('failed');
    expect(screen.getByRole('heading', { level: 1, name: zh.title })).toBeTruthy();
    expect(screen.queryByText(zh.column.span)).toBeNull();
  });

  it('is shown after its import without a question about unsaved changes', async () => {
    const { router, network } = await renderPage('/invoice', {
      user: admin,
      replies: {
        'GET /api/invoice': success({ items: [], total: 0, page: 1, page_size: 10 }),
        'POST /api/invoice': success({ id: 1 }),
        'GET /api/invoice/1': success({ invoice, complete: true, matches: [], totals }),
      },
    });
    await fillImport('january.csv', 'a,b');
    fireEvent.submit(screen.getByLabelText(zh.form.name));
    await waitFor(() => expect(network.of('POST', '/api/invoice')).toHaveLength(1));
    await waitFor(() => expect(router.state.location.pathname).toBe('/invoice/1'));
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });

  it('says of an empty file that it is empty, and sends nothing', async () => {
    const { network } = await renderPage('/invoice', {
      user: admin,
      replies: { 'GET /api/invoice': success({ items: [], total: 0, page: 1, page_size: 10 }) },
    });
    await fillImport('empty.csv', '');
    expect(await screen.findByText(zh.form.emptyFile)).toBeTruthy();
    fireEvent.submit(screen.getByLabelText(zh.form.name));
    await act(async () => undefined);
    expect(network.of('POST', '/api/invoice')).toEqual([]);
  });

  it('says of a file that cannot be read that it cannot, sends nothing, and takes the file again', async () => {
    const { network } = await renderPage('/invoice', {
      user: admin,
      replies: { 'GET /api/invoice': success({ items: [], total: 0, page: 1, page_size: 10 }) },
    });
    await fillImport('gone.csv', 'a,b', () => Promise.reject(new Error('gone')));
    expect(await screen.findByText(zh.form.unreadable)).toBeTruthy();
    fireEvent.submit(screen.getByLabelText(zh.form.name));
    await act(async () => undefined);
    expect(network.of('POST', '/api/invoice')).toEqual([]);
    await chooseFile('gone.csv', 'a,b');
    await waitFor(() => expect(screen.queryByText(zh.form.unreadable)).toBeNull());
  });

  it('does not navigate to the result when the user has left the dialog', async () => {
    let answer: (reply: unknown) => void = () => undefined;
    const { router, network } = await renderPage('/invoice', {
      user: admin,
      replies: {
        'GET /api/invoice': success({ items: [], total: 0, page: 1, page_size: 10 }),
        'POST /api/invoice': () => new Promise((resolve) => (answer = resolve)),
        'GET /api/invoice/1': success({ invoice, complete: true, matches: [], totals }),
        'GET /api/about': success(''),
      },
    });
    await fillImport('january.csv', 'a,b');
    fireEvent.submit(screen.getByLabelText(zh.form.name));
    await waitFor(() => expect(network.of('POST', '/api/invoice')).toHaveLength(1));
    await act(() => router.navigate('/about'));
    fireEvent.click(await screen.findByRole('button', { name: shell.action.discard }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/about'));
    await act(async () => answer(success({ id: 1 })));
    await screen.findByText(zh.form.done);
    expect(router.state.location.pathname).toBe('/about');
  });
});

it('shows why the server refused a file at the field, until another file is chosen', async () => {
  const fields = [{ path: 'csv', code: 'invalid', params: { reason: 'no such file' } }];
  await renderPage('/invoice', {
    user: admin,
    replies: {
      'GET /api/invoice': success({ items: [], total: 0, page: 1, page_size: 10 }),
      'POST /api/invoice': refusal('no such file', 'invalid-input', { fields }),
    },
  });
  await fillImport('january.csv', 'a,b');
  fireEvent.submit(screen.getByLabelText(zh.form.name));
  const button = screen.getByRole('button', { name: 'january.csv' });
  const said = () => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent;
  await waitFor(() => expect(said()).toBe('no such file'));
  expect(document.activeElement).toBe(button);
  await chooseFile('february.csv', 'a,b');
  await waitFor(() => expect(said()).toBeUndefined());
});
