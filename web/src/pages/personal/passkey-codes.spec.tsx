import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { baseApi } from '../../api/base-api.js';
import { texts as shell } from '../../app/i18n/zh.js';
import type { Replies } from '../../testing/fake-fetch.js';
import { refusal, success } from '../../testing/fake-fetch.js';
import { person, renderPage, selfOf } from '../../testing/render-page.js';
import { texts as zh } from './zh.js';

const CODES = ['aaaaa-bbbbb', 'ccccc-ddddd'];
const PASSWORD = 'a password of some length';
const bytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer;

/** A credential as the browser's authenticator returns it; the page sends it unchanged. */
const made = {
  id: 'new-key',
  rawId: bytes('new-key'),
  type: 'public-key',
  response: { attestationObject: bytes('attested'), clientDataJSON: bytes('{}'), getTransports: () => ['internal'] },
  getClientExtensionResults: () => ({}),
};
const options = {
  rp: { id: 'localhost', name: 'Tollgate' },
  user: { id: 'dXNlcg', name: 'bob', displayName: 'bob' },
  challenge: 'Y2hhbGxlbmdl',
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
};

describe('a passkey that comes with recovery codes', () => {
  const create = jest.fn<() => Promise<unknown>>();
  const written: string[] = [];

  beforeEach(() => {
    create.mockReset().mockResolvedValue(made);
    written.length = 0;
    Object.assign(window, { PublicKeyCredential: class {} });
    const clipboard = { writeText: async (text: string) => void written.push(text) };
    Object.defineProperty(navigator, 'credentials', { configurable: true, value: { create } });
    Object.defineProperty(navigator, 'clipboard', { configurable: true, value: clipboard });
  });
  afterEach(() => {
    Reflect.deleteProperty(window, 'PublicKeyCredential');
    Reflect.deleteProperty(navigator, 'credentials');
    Reflect.deleteProperty(navigator, 'clipboard');
  });

  /** The operator requires a second factor, and the user has none yet. */
  const open = (more: Replies = {}) => {
    let begun = 0;
    return renderPage('/personal', {
      user: person,
      replies: {
        'GET /api/user/self': success({ ...selfOf(person), must_set_two_factor: true }),
        'GET /api/user/self/2fa': success({ totp: false, passkeys: 0, recovery_codes: 0, required: true }),
        'GET /api/user/self/passkey': success([]),
        'POST /api/user/self/passkey/begin': () =>
          begun++ === 0 ? refusal('again', 'password-needed') : success(options),
        'POST /api/user/self/passkey': success({ recovery_codes: CODES }),
        ...more,
      },
    });
  };
  async function add(): Promise<void> {
    const factors = within(await screen.findByRole('region', { name: zh.factors.title }));
    fireEvent.click(await factors.findByRole('button', { name: zh.factors.addPasskey }));
    const proof = within(await screen.findByRole('dialog', { name: zh.factors.addPasskey }));
    fireEvent.change(proof.getByLabelText(zh.factors.password), { target: { value: PASSWORD } });
    fireEvent.click(proof.getByRole('button', { name: zh.factors.go }));
  }
  const codesDialog = () => screen.findByRole('dialog', { name: zh.factors.codesTitle });

  it('shows the codes once, in full, with a button to copy them', async () => {
    const { network } = await open();
    await add();
    const shown = within(await codesDialog());
    expect(create).toHaveBeenCalledTimes(1);
    expect(shown.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(CODES);
    fireEvent.click(shown.getByRole('button', { name: shell.action.copy }));
    await waitFor(() => expect(written).toEqual([CODES.join('\n')]));
    fireEvent.click(shown.getByRole('button', { name: zh.security.kept }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    for (const code of CODES) expect(document.body.textContent).not.toContain(code);
    expect(network.of('POST', '/api/user/self/passkey')).toHaveLength(1);
  });

  it('keeps neither the codes nor the password in the store, while they are shown and afterwards', async () => {
    const { store } = await open();
    const held = () => [...CODES, PASSWORD].filter((text) => JSON.stringify(store.getState()).includes(text));
    await add();
    const shown = within(await codesDialog());
    await waitFor(() => expect(screen.queryByRole('dialog', { name: zh.factors.addPasskey })).toBeNull());
    expect(held()).toEqual([]);
    fireEvent.click(shown.getByRole('button', { name: zh.security.kept }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(held()).toEqual([]);
    expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain(CODES[0]);
  });

  it('stays on the page until the codes were seen, although the user counts as enrolled at once', async () => {
    let enrolled = false;
    const { network } = await open({
      'GET /api/user/self': () => success({ ...selfOf(person), must_set_two_factor: !enrolled }),
      'POST /api/user/self/passkey': () => {
        enrolled = true;
        return success({ recovery_codes: CODES });
      },
    });
    await add();
    const shown = within(await codesDialog());
    const asked = network.of('GET', '/api/user/self').length;
    expect(shown.getByText(CODES[0] ?? '')).toBeTruthy();
    fireEvent.keyDown(screen.getByRole('dialog', { name: zh.factors.codesTitle }), { key: 'Escape' });
    expect(screen.getByRole('dialog', { name: zh.factors.codesTitle })).toBeTruthy();
    fireEvent.click(shown.getByRole('button', { name: zh.security.kept }));
    expect(await screen.findByRole('region', { name: zh.security.title })).toBeTruthy();
    expect(network.of('GET', '/api/user/self').length).toBeGreaterThan(asked);
  });

  it('says that an attempt failed until the next one begins, and leaves the page free again', async () => {
    create.mockRejectedValue(new Error('no authenticator'));
    let demanded = true;
    let again: (reply: unknown) => void = () => undefined;
    let begun = 0;
    const { store } = await open({
      'GET /api/user/self': () => success({ ...selfOf(person), must_set_two_factor: demanded }),
      'POST /api/user/self/passkey/begin': () =>
        begun++ === 0 ? success(options) : new Promise((resolve) => (again = resolve)),
    });
    const button = await screen.findByRole('button', { name: zh.factors.addPasskey });
    fireEvent.click(button);
    await screen.findByText(zh.factors.broken);
    fireEvent.click(button);
    await waitFor(() => expect(screen.queryByText(zh.factors.broken)).toBeNull());
    expect(button.getAttribute('aria-busy')).toBe('true');
    again(refusal('not now', 'passkey-expired'));
    await screen.findByText('not now');
    expect(button.getAttribute('aria-busy')).toBeNull();
    demanded = false;
    act(() => void store.dispatch(baseApi.util.invalidateTags(['Self'])));
    expect(await screen.findByRole('region', { name: zh.security.title })).toBeTruthy();
  });

  it('shows no codes when the prompt of the browser was cancelled', async () => {
    create.mockRejectedValue(Object.assign(new Error('given up'), { name: 'NotAllowedError' }));
    const { network } = await open();
    await add();
    await waitFor(() => expect(create).toHaveBeenCalledTimes(1));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(network.of('POST', '/api/user/self/passkey')).toHaveLength(0);
    expect(screen.queryByText(zh.factors.broken)).toBeNull();
  });
});
