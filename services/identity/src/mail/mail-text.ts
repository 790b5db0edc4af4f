import type { Language } from './language.js';

/** A mail ready to send, with the same content in HTML and plain text. */
export interface MailText {
  subject: string;
  html: string;
  text: string;
}

/** Part of a paragraph: text, emphasized text or a link. */
type Part = string | { strong: string } | { link: string; label?: string };
type Paragraph = readonly Part[];

interface Draft {
  subject: string;
  paragraphs: readonly Paragraph[];
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (letter) => escapes[letter] ?? letter);

const asHtml = (part: Part): string => {
  if (typeof part === 'string') return escapeHtml(part);
  if ('strong' in part) return `<strong>${escapeHtml(part.strong)}</strong>`;
  return `<a href="${escapeHtml(part.link)}">${escapeHtml(part.label ?? part.link)}</a>`;
};
const asText = (part: Part): string => {
  if (typeof part === 'string') return part;
  if ('strong' in part) return part.strong;
  return part.label === undefined ? part.link : `${part.label} (${part.link})`;
};

function written({ subject, paragraphs }: Draft): MailText {
  return {
    subject: subject.replace(/\s+/g, ' '),
    html: paragraphs.map((paragraph) => `<p>${paragraph.map(asHtml).join('')}</p>`).join('\n'),
    text: `${paragraphs.map((paragraph) => paragraph.map(asText).join('')).join('\n\n')}\n`,
  };
}

/** The values that each kind of mail needs, besides the system's name. */
interface Facts {
  'verification-code': { code: string };
  'address-taken': { login: string; reset: string };
  'address-closed': object;
  'address-given-up': { login: string };
  'password-reset': { link: string };
  'address-unknown': { register: string };
  'reset-refused': object;
  'mail-test': object;
  /** The text ends with the link, if there is one. */
  notice: { title: string; text: string; link?: string };
}
type MailKind = keyof Facts;

type Writers = { [Kind in MailKind]: (facts: Facts[Kind], system: string) => Draft };

const zh: Writers = {
  'verification-code': ({ code }, system) => ({
    subject: `${system}邮箱验证邮件`,
    paragraphs: [
      [`您好，你正在进行${system}邮箱验证。`],
      ['您的验证码为: ', { strong: code }],
      ['验证码 10 分钟内有效，如果不是本人操作，请忽略。'],
    ],
  }),
  'address-taken': ({ login, reset }, system) => ({
    subject: `${system}邮箱验证邮件`,
    paragraphs: [
      [`您好，有人请求用该邮箱地址进行${system}邮箱验证，但该地址已属于一个账户，因此没有生成验证码。`],
      ['如果是您本人，请直接登录：', { link: login }, '；忘记密码请重置：', { link: reset }],
      ['如果不是本人操作，请忽略。'],
    ],
  }),
  'address-closed': (_, system) => ({
    subject: `${system}邮箱地址`,
    paragraphs: [
      [
        `您好，有人请求在${system}使用该邮箱地址，但该地址曾属于一个已注销的账户，仍被保留，因此没有生成验证码或重置链接。`,
      ],
      ['如果是您本人，请使用其他邮箱地址，或联系管理员。'],
      ['如果不是本人操作，请忽略。'],
    ],
  }),
  'address-given-up': ({ login }, system) => ({
    subject: `${system}邮箱地址已变更`,
    paragraphs: [
      [`您好，您的${system}账户已更换或解绑该邮箱地址，因此不能再用它登录或重置密码。`],
      [
        '如果不是您本人操作，请立即登录并修改密码，其他会话和系统访问令牌会随之失效，然后重新绑定邮箱：',
        { link: login },
      ],
      ['如果无法登录，请立即联系管理员。如果是您本人操作，请忽略。'],
    ],
  }),
  'password-reset': ({ link }, system) => ({
    subject: `${system}密码重置`,
    paragraphs: [
      [`您好，你正在进行${system}密码重置。`],
      ['点击 ', { link, label: '此处' }, ' 进行密码重置。'],
      ['如果链接无法点击，请将下面的链接复制到浏览器中打开：'],
      [{ link }],
      ['重置链接 10 分钟内有效，如果不是本人操作，请忽略。'],
    ],
  }),
  'address-unknown': ({ register }, system) => ({
    subject: `${system}密码重置`,
    paragraphs: [
      [`您好，有人请求重置${system}的密码，但该邮箱地址没有对应的账户。`],
      ['您可能使用了其他邮箱地址，或者还没有注册：', { link: register }],
      ['如果不是本人操作，请忽略。'],
    ],
  }),
  'reset-refused': (_, system) => ({
    subject: `${system}密码重置`,
    paragraphs: [
      ['邮件设置被其他管理员修改过，因此不能通过邮件重置管理员的密码。'],
      ['请用其他方式登录，并请超级管理员检查并重新保存 SMTP 设置和服务器地址。'],
    ],
  }),
  'mail-test': (_, system) => ({
    subject: `${system}测试邮件`,
    paragraphs: [[`您好，这是${system}的测试邮件。收到它说明 SMTP 设置可用。`]],
  }),
  notice: ({ title, text, link }) => ({
    subject: title,
    paragraphs: [link === undefined ? [text] : [text, { link }]],
  }),
};

const en: Writers = {
  'verification-code': ({ code }, system) => ({
    subject: `${system}: verify your e-mail address`,
    paragraphs: [
      [`Hello, you are verifying your e-mail address for ${system}.`],
      ['Your verification code is: ', { strong: code }],
      ['It is valid for 10 minutes. If this was not you, ignore this mail.'],
    ],
  }),
  'address-taken': ({ login, reset }, system) => ({
    subject: `${system}: verify your e-mail address`,
    paragraphs: [
      [
        `Hello, somebody asked to verify this address for ${system}, but it belongs to an account already, so there is no code.`,
      ],
      ['If it was you, sign in: ', { link: login }, ', or set a new password: ', { link: reset }],
      ['If this was not you, ignore this mail.'],
    ],
  }),
  'address-closed': (_, system) => ({
    subject: `${system}: your e-mail address`,
    paragraphs: [
      [
        `Hello, somebody asked to use this address for ${system}, but it belonged to an account that was deleted, and stays reserved, so there is neither a code nor a link.`,
      ],
      ['If it was you, use another address, or ask the administrator.'],
      ['If this was not you, ignore this mail.'],
    ],
  }),
  'address-given-up': ({ login }, system) => ({
    subject: `${system}: your e-mail address was changed`,
    paragraphs: [
      [
        `Hello, this address was replaced or removed in your account at ${system}, so it can no longer sign in or reset the password.`,
      ],
      [
        'If this was not you, sign in at once and change your password, which ends other sessions and the system access token, and bind your address again: ',
        { link: login },
      ],
      ['If you cannot sign in, ask the administrator at once. If it was you, ignore this mail.'],
    ],
  }),
  'password-reset': ({ link }, system) => ({
    subject: `${system}: reset your password`,
    paragraphs: [
      [`Hello, you are resetting your password for ${system}.`],
      ['Press ', { link, label: 'here' }, ' to do so.'],
      ['If the link does not work, copy this address into your browser:'],
      [{ link }],
      ['The link is valid for 10 minutes. If this was not you, ignore this mail.'],
    ],
  }),
  'address-unknown': ({ register }, system) => ({
    subject: `${system}: reset your password`,
    paragraphs: [
      [`Hello, somebody asked to reset a password for ${system}, but no account has this address.`],
      ['You may have used another address, or not registered yet: ', { link: register }],
      ['If this was not you, ignore this mail.'],
    ],
  }),
  'reset-refused': (_, system) => ({
    subject: `${system}: reset your password`,
    paragraphs: [
      [
        'Another administrator has changed the mail settings, so the password of an administrator cannot be reset by mail.',
      ],
      [
        'Sign in otherwise; a super administrator checks the SMTP settings and the server address and saves them again.',
      ],
    ],
  }),
  'mail-test': (_, system) => ({
    subject: `${system}: test mail`,
    paragraphs: [[`Hello, this is a test mail of ${system}. The SMTP settings work.`]],
  }),
  notice: zh.notice,
};

/** Writes a mail in the recipient's language. */
export function writeMail<Kind extends MailKind>(
  kind: Kind,
  facts: Facts[Kind],
  { language, system }: { language: Language; system: string },
): MailText {
  return written((language === 'en' ? en : zh)[kind](facts, system));
}
