import { z } from 'zod';

/** Throws a refusal with a message for the administrator; a reader otherwise returns its result. */
export type Refuse = (message: string) => never;

/** PostgreSQL stores no NUL characters. */
const isStorable = (text: string): boolean => !text.includes('\0');

/** A schema made of a function that parses the text or refuses it. */
export const reads = <Value>(read: (text: string, refuse: Refuse) => Value): z.ZodType<Value, string> =>
  z
    .string('无效的参数')
    .refine(isStorable, { message: '无效的参数', abort: true })
    .transform((text, context) =>
      read(text, (message) => {
        context.addIssue({ code: 'custom', message });
        return z.NEVER;
      }),
    );

const MAX_LINE_LENGTH = 2000;
const MAX_TEXT_LENGTH = 1_000_000;

/** Free text of any number of lines, kept as it is. */
export const text = reads((value, refuse) =>
  value.length > MAX_TEXT_LENGTH ? refuse(`内容不能超过 ${MAX_TEXT_LENGTH} 个字符`) : value,
);

/** One line, trimmed: names, ids, keys. */
export const line = reads((value, refuse) => {
  const trimmed = value.trim();
  if (/[\r\n\0]/.test(trimmed)) return refuse('内容不能包含换行');
  return trimmed.length > MAX_LINE_LENGTH ? refuse(`内容不能超过 ${MAX_LINE_LENGTH} 个字符`) : trimmed;
});

/** One line that must not be empty. */
export const requiredLine = reads((value, refuse) => {
  const result = line.safeParse(value);
  if (!result.success) return refuse(result.error.issues[0]?.message ?? '无效的参数');
  return result.data === '' ? refuse('内容不能为空') : result.data;
});

/** Exactly `true` or `false`. */
export const flag = reads((value, refuse) =>
  value === 'true' ? true : value === 'false' ? false : refuse('无效的参数'),
);

export const integer = (min: number, max: number): z.ZodType<number, string> =>
  reads((value, refuse) => {
    const number = /^-?\d{1,16}$/.test(value.trim()) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : refuse(`必须是 ${min} 到 ${max} 之间的整数`);
  });

/** As `integer`, but an empty text is allowed and means `undefined`. */
export const optionalInteger = (min: number, max: number): z.ZodType<number | undefined, string> =>
  reads((value, refuse) => {
    if (value.trim() === '') return undefined;
    const result = integer(min, max).safeParse(value);
    return result.success ? result.data : refuse(result.error.issues[0]?.message ?? '无效的参数');
  });

/** At most 15 significant digits, so that the number's shortest text is the exact decimal that was typed. */
export const decimal = (min: number, max: number): z.ZodType<number, string> =>
  reads((value, refuse) => {
    const number = /^-?\d{1,9}(\.\d{1,6})?$/.test(value.trim()) ? Number(value) : Number.NaN;
    return number >= min && number <= max ? number : refuse(`必须是 ${min} 到 ${max} 之间的数字`);
  });

export const oneOf = <const Value extends string>(...values: Value[]): z.ZodType<Value, string> =>
  reads(
    (value, refuse) => values.find((candidate) => candidate === value) ?? refuse(`只能是 ${values.join('、')} 之一`),
  );

/** One entry per line; surrounding spaces, empty lines and repetitions are dropped. */
export const lines = reads((value, refuse) => {
  if (value.length > MAX_TEXT_LENGTH) return refuse(`内容不能超过 ${MAX_TEXT_LENGTH} 个字符`);
  const entries = value.split('\n').map((entry) => entry.trim());
  return [...new Set(entries)].filter((entry) => entry !== '');
});

const isWebAddress = (value: string): boolean => /^https?:\/\/[^\s/]\S*$/i.test(value) && URL.canParse(value);
const noWebAddress = '必须是以 http:// 或 https:// 开头的网址';

/** A base address has no query or fragment, because paths are appended to it, and no credentials, because it is displayed. */
function isBaseAddress(value: string): boolean {
  if (!isWebAddress(value) || /[?#]/.test(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
}

/** Base address of a server, without trailing slashes; empty for none. */
export const address = reads((value, refuse) => {
  const trimmed = value.trim().replace(/\/+$/, '');
  if (trimmed === '' || isBaseAddress(trimmed)) return trimmed;
  return refuse(isWebAddress(trimmed) ? '网址不能包含 ?、# 或用户名和密码' : noWebAddress);
});

/** The public address of this server; a new installation is assumed to be on this machine. */
export const serverAddress = reads((value, refuse) => {
  if (value.trim() === '') return 'http://localhost:3000';
  const result = address.safeParse(value);
  return result.success && result.data !== '' ? result.data : refuse(noWebAddress);
});

/** A full URL, kept exactly as typed, including a trailing slash; empty for none. */
export const url = reads((value, refuse) => {
  const trimmed = value.trim();
  return trimmed === '' || isWebAddress(trimmed) ? trimmed : refuse(noWebAddress);
});

/** A link in the console: a full URL or a path on this server; empty for none. */
export const link = reads((value, refuse) => {
  const trimmed = value.trim();
  if (trimmed === '' || isWebAddress(trimmed) || /^\/(?![/\\])\S*$/.test(trimmed)) return trimmed;
  return refuse('必须是以 http:// 或 https:// 开头的网址，或以 / 开头的路径');
});

/** A picture: a link, or the picture as a data URL. */
export const imageLink = reads((value, refuse) => {
  const trimmed = value.trim();
  if (/^data:image\/[\w.+-]+[;,]/i.test(trimmed)) return trimmed;
  return link.safeParse(trimmed).success ? trimmed : refuse('必须是图片网址、以 / 开头的路径或 data:image 内容');
});

/**
 * Any scheme that an application may register, but none that would run code in the console's page. Browsers drop control characters from a
 * link before they read its scheme, so templates with control characters are refused.
 */
export const isSafeTemplate = (template: string): boolean =>
  !/\p{Cc}/u.test(template) &&
  /^(https?:\/\/\S|\/(?![/\\])|(?!javascript:|data:|vbscript:|file:|blob:)[a-z][a-z\d+.-]*:)/i.test(template.trim());

/** A link template with `{key}` and `{address}`; empty for none. */
export const linkTemplate = reads((value, refuse) => {
  const trimmed = value.trim();
  return trimmed === '' || isSafeTemplate(trimmed) ? trimmed : refuse('链接不合法');
});

const domainPattern = /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z][a-z\d-]{0,61}[a-z\d]$/;

/** Comma-separated domains in lower case; empty for none. */
export const domainList = reads((value, refuse) => {
  const domains: string[] = [];
  for (const part of value.split(',')) {
    const domain = part.trim().toLowerCase();
    if (domain === '') continue;
    if (!domainPattern.test(domain)) return refuse('邮箱域名格式不正确，请输入有效的域名，如 gmail.com');
    if (domains.includes(domain)) return refuse('该域名已存在于白名单中');
    domains.push(domain);
  }
  return domains;
});
