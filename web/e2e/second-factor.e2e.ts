import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '@tollgate/testing';
import { Secret, TOTP } from 'otpauth';
import { Desk } from './support/desk.js';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import type { Tab } from './support/tab.js';

const PASSWORD = 'ada has a password';
const codeOf = (secret: string, aheadMs = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + aheadMs });

describe('users with a second factor', () => {
  let running: RunningSite;
  /** At `localhost`, because passkeys need a host name. */
  let desk: Desk;
  let tab: Tab;
  /** Recovery codes from the set-up of the passkey that the operator requires. */
  let codes: string[] = [];

  beforeAll(async () => {
    running = await runSite();
    const url = running.product.url.replace('127.0.0.1', 'localhost');
    await running.product.root.data('PUT', '/api/option/', { key: 'ServerAddress', value: url });
    await running.product.user('ada', 0);
    desk = await Desk.open(url);
    tab = await newTab();
  });
  afterAll(async () => {
    await desk?.close();
    await running?.close();
  });

  /** A tab with a virtual authenticator that confirms every request. */
  const newTab = async (): Promise<Tab> => {
    const opened = await desk.tab();
    const cdp = await opened.page.context().newCDPSession(opened.page);
    await cdp.send('WebAuthn.enable');
    await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return opened;
  };
  const at = (address: string) => tab.page.waitForURL((url) => url.pathname === address);
  const enterPassword = async (name = 'ada') => {
    await tab.visit('/login', 'input');
    await tab.field('用户名/邮箱').fill(name);
    await tab.field('密码').fill(PASSWORD);
    await tab.page.getByRole('button', { name: '登录', exact: true }).click();
  };
  /** Confirms with the password, which every change of sign-in methods requires. */
  const prove = async (title: string) => {
    const dialog = tab.page.getByRole('dialog', { name: title });
    await dialog.getByLabel('当前密码').fill(PASSWORD);
    await dialog.getByRole('button', { name: '继续' }).click();
  };
  const logOut = () => tab.page.context().clearCookies();

  it('add a passkey and sign in by it alone', async () => {
    await enterPassword();
    await at('/token');
    await tab.visit('/personal', 'main button');
    await tab.button('添加通行密钥').click();
    await prove('添加通行密钥');
    await tab.page.getByRole('list', { name: '通行密钥' }).getByRole('listitem').waitFor();
    await logOut();
    await tab.visit('/login', 'input');
    await tab.button('使用通行密钥登录').click();
    await at('/token');
  });

  it('set up an authenticator, enter its code, and sign in by a recovery code', async () => {
    await tab.visit('/personal', 'main button');
    await tab.button('设置验证器').click();
    await prove('设置验证器');
    const dialog = tab.page.getByRole('dialog');
    const secret = (await dialog.locator('code').textContent()) ?? '';
    await dialog.getByRole('img', { name: '验证器应用的二维码' }).waitFor();
    await dialog.getByLabel('验证码').fill(codeOf(secret));
    await dialog.getByRole('button', { name: '确认' }).click();
    const shown = tab.page.getByRole('dialog', { name: '恢复码' });
    const recovery = (await shown.getByRole('listitem').first().textContent()) ?? '';
    expect(recovery).toMatch(/^\w{5}-\w{5}$/);
    await shown.getByRole('button', { name: '我已保存' }).click();

    for (const code of [codeOf(secret, 30_000), recovery]) {
      await logOut();
      await enterPassword();
      await tab.field('动态验证码或恢复码').fill(code);
      await tab.button('验证').click();
      await at('/token');
    }
    await logOut();
    await enterPassword();
    await tab.field('动态验证码或恢复码').fill(recovery);
    await tab.button('验证').click();
    await tab.page.getByText('验证码错误或已使用').waitFor();
    await tab.button('使用通行密钥登录').click();
    await at('/token');
  });

  it('are guided to the set-up only when the operator requires one', async () => {
    const { root } = running.product;
    const begun = await root.data<{ secret: string }>('POST', '/api/user/self/2fa/setup', { password: ROOT.password });
    await root.data('POST', '/api/user/self/2fa/enable', { code: codeOf(begun.secret) });
    await root.data('PUT', '/api/option/', { key: 'SecondFactorRequiredFor', value: 'everybody' });
    await running.product.root.data('POST', '/api/user/', { username: 'bob', password: PASSWORD });
    await tab.close();
    tab = await newTab();
    await enterPassword('bob');
    await at('/personal');
    await tab.page.getByText('本站管理员要求启用第二种验证方式').waitFor();
    await tab.button('添加通行密钥').click();
    await prove('添加通行密钥');
    const shown = tab.page.getByRole('dialog', { name: '恢复码' });
    await shown.getByRole('listitem').first().waitFor();
    codes = await shown.getByRole('listitem').allTextContents();
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !/^\w{5}-\w{5}$/.test(code))).toEqual([]);
    await shown.getByRole('button', { name: '复制' }).click();
    await tab.page.getByText('已复制到剪贴板！').waitFor();
    expect(await tab.page.evaluate(() => navigator.clipboard.readText())).toBe(codes.join('\n'));
    await shown.getByRole('button', { name: '我已保存' }).click();
    await shown.waitFor({ state: 'hidden' });
    await tab.page.getByRole('heading', { name: '安全' }).waitFor();
    await tab.visit('/token', 'h1');
    expect(new URL(tab.page.url()).pathname).toBe('/token');
  });

  it('see the recovery codes of a passkey once, and sign in by each once', async () => {
    const [code = '', other = ''] = codes;
    const isKept = () =>
      tab.page.evaluate(
        ([one]) => {
          const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }]);
          return `${document.documentElement.outerHTML}${stored}`.includes(one);
        },
        [code] as const,
      );
    expect(await isKept()).toBe(false);
    await tab.visit('/personal', 'main h2');
    await tab.page.getByRole('list', { name: '通行密钥' }).getByRole('listitem').waitFor();
    expect(await isKept()).toBe(false);
    for (const [typed, comesIn] of [
      [code, true],
      [code, false],
      [other, true],
    ] as const) {
      await logOut();
      await enterPassword('bob');
      await tab.field('恢复码').fill(typed);
      await tab.button('验证').click();
      if (comesIn) await at('/token');
      else await tab.page.getByText('验证码错误或已使用').waitFor();
    }
  });
});
