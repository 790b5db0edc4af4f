import { describe, expect, it } from '@jest/globals';
import { languageOf } from './language.js';
import { writeMail } from './mail-text.js';

describe('writeMail', () => {
  it('writes the documented words, and the same in plain text', () => {
    const mail = writeMail('verification-code', { code: '123456' }, { language: 'zh', system: 'Acme' });
    expect(mail.subject).toBe('Acme邮箱验证邮件');
    expect(mail.html).toBe(
      '<p>您好，你正在进行Acme邮箱验证。</p>\n<p>您的验证码为: <strong>123456</strong></p>\n<p>验证码 10 分钟内有效，如果不是本人操作，请忽略。</p>',
    );
    expect(mail.text).toContain('您的验证码为: 123456\n');
  });

  it('escapes the name of the system, so that it adds neither markup nor a mail header', () => {
    const mail = writeMail('mail-test', {}, { language: 'en', system: '<b>\r\nBcc: x' });
    expect(mail.subject).not.toMatch(/[\r\n]/);
    expect(mail.html).not.toContain('<b>');
  });

  it('ends a notice with its link, if it has one, and escapes both', () => {
    const words = { language: 'zh', system: 'Acme' } as const;
    const notice = { title: '通知', text: '<余额> 不足：', link: 'https://x.example/?a=1&b="2"' };
    expect(writeMail('notice', notice, words).html).toBe(
      '<p>&lt;余额&gt; 不足：<a href="https://x.example/?a=1&amp;b=&quot;2&quot;">https://x.example/?a=1&amp;b=&quot;2&quot;</a></p>',
    );
    expect(writeMail('notice', notice, words).text).toBe('<余额> 不足：https://x.example/?a=1&b="2"\n');
    expect(writeMail('notice', { title: '通知', text: '完成' }, words).html).toBe('<p>完成</p>');
  });

  it('repeats a link as text, for readers without HTML', () => {
    const link = 'https://x.example/user/reset?email=a%2Bb%40c.example&token=0';
    const mail = writeMail('password-reset', { link }, { language: 'en', system: 'Acme' });
    expect(mail.html).toContain(`href="${link.replace('&', '&amp;')}"`);
    expect(mail.text).toContain(`\n${link}\n`);
  });
});

describe('languageOf', () => {
  it.each([
    ['en-GB,en;q=0.9', 'en'],
    ['fr,zh-CN;q=0.8,en;q=0.5', 'zh'],
    ['fr', undefined],
    [undefined, undefined],
  ])('reads %s as %s', (accepted, language) => {
    expect(languageOf(accepted)).toBe(language);
  });
});
