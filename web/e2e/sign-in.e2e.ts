import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { MailServer, OidcStandIn } from '@tollgate/testing';
import { startMailServer, startOidcProvider } from '@tollgate/testing';
import type { RunningSite } from './support/product.js';
import { runSite } from './support/product.js';
import type { Tab } from './support/tab.js';

const codeIn = (text: string): string => /\d{6}/.exec(text)?.[0] ?? '';

describe('sign-in without a password from an administrator', () => {
  let running: RunningSite;
  let mail: MailServer;
  let oidc: OidcStandIn;
  let tab: Tab;

  beforeAll(async () => {
    running = await runSite({ TOLLGATE_OUTBOUND_ALLOW: 'localhost' });
    const { url, root } = running.product;
    mail = await startMailServer();
    oidc = await startOidcProvider({ redirectUris: [`${url}/oauth/oidc`] });
    oidc.person = { sub: 'o-1', email: 'o1@provider.example', email_verified: true, preferred_username: 'olivia' };
    for (const [key, value] of [
      ['ServerAddress', url],
      ['SMTPPort', String(mail.port)],
      ['SMTPFrom', 'us@acme.example'],
      ['SMTPServer', '127.0.0.1'],
      ['EmailVerificationEnabled', 'true'],
      ['oidc.client_id', oidc.clientId],
      ['oidc.client_secret', oidc.clientSecret],
      ['oidc.well_known', oidc.wellKnown],
      ['oidc.enabled', 'true'],
    ] as const)
      await root.data('PUT', '/api/option/', { key, value });
    tab = await running.desk.tab();
  });
  afterAll(async () => {
    await running?.close();
    await Promise.all([mail?.close(), oidc?.close()]);
  });

  const at = (address: string) => tab.page.waitForURL((url) => url.pathname === address);
  const signIn = async (name: string, password: string) => {
    await tab.visit('/login', 'input');
    await tab.field('用户名/邮箱').fill(name);
    await tab.field('密码').fill(password);
    await tab.button('登录').click();
    await at('/token');
  };
  /** Opens another browser, without the storage and cookies of the previous one. */
  const anew = async () => {
    await tab.close();
    tab = await running.desk.tab();
  };

  it('registers with the code of a mail', async () => {
    await tab.visit('/register', 'input');
    await tab.field('用户名').fill('mailed');
    await tab.field('密码').fill('first-password');
    await tab.field('确认密码').fill('first-password');
    await tab.field('邮箱').fill('mailed@example.com');
    await tab.button('获取验证码').click();
    await tab.field('验证码').fill(codeIn((await mail.mailTo('mailed@example.com')).text));
    await tab.button('注册').click();
    await at('/login');
    await signIn('mailed@example.com', 'first-password');
  });

  it('binds an account of a provider, signs in by it, and removes it', async () => {
    await tab.visit('/personal', 'main button');
    await tab.button('绑定 OIDC').click();
    await at('/personal');
    await tab.button('解绑 OIDC').waitFor();

    await anew();
    await tab.visit('/login', 'input');
    await tab.button('使用 OIDC 登录').click();
    await at('/token');
    await tab.visit('/personal', 'main button');
    await tab.page.getByRole('heading', { name: /^mailed/ }).waitFor();

    await tab.button('解绑 OIDC').click();
    await tab.page.getByRole('alertdialog').getByRole('button', { name: '解绑' }).click();
    await tab.button('绑定 OIDC').waitFor();
  });

  it('lists the sessions of the user', async () => {
    await tab.page.getByText('当前设备').waitFor();
    await tab.button('结束其他登录').click();
    await tab.page.getByText('没有其他登录。').waitFor();
  });

  it('sets a new password by the link of a mail', async () => {
    await anew();
    await tab.visit('/reset', 'input');
    await tab.field('邮箱地址').fill('mailed@example.com');
    await tab.button('提交').click();
    await tab.button(/^重试 \(\d+\)$/).waitFor();
    const { text } = await mail.mailTo('mailed@example.com', /密码重置/);
    const link = new URL(/http:\S+\/user\/reset\?[^\s)]+/.exec(text)?.[0] ?? '');
    await tab.visit(link.pathname + link.search, 'input');
    await tab.button('提交').click();
    const password = await tab.field('新密码').inputValue();
    await signIn('mailed', password);
  });

  it('registers by an account of a provider, and reports a failure', async () => {
    await anew();
    await tab.visit('/login', 'input');
    await tab.button('使用 OIDC 登录').click();
    await at('/token');
    await tab.visit('/personal', 'main button');
    await tab.page.getByRole('heading', { name: /^olivia/ }).waitFor();

    await anew();
    await tab.page.goto(`${running.product.url}/oauth/oidc?code=made-up&state=made-up`);
    await tab.page.getByText('操作失败，重定向至登录界面中...').waitFor();
    await tab.button('重新授权').waitFor();
  });
});
