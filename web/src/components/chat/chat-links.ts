import type { Status } from '@tollgate/contracts/api/status';

export interface ChatLink {
  name: string;
  template: string;
}

/** The operator's chat programs in their order; `undefined` if the stored value is malformed. */
export function readChatLinks(chats: Status['chats'] | undefined): ChatLink[] | undefined {
  if (chats === undefined) return [];
  if (!Array.isArray(chats)) return undefined;
  const links = chats.flatMap((entry: unknown) => Object.entries(entry ?? {}));
  if (links.some(([, template]) => typeof template !== 'string')) return undefined;
  return links.map(([name, template]) => ({ name, template: template as string }));
}

export const chatLinks = (chats: Status['chats'] | undefined): ChatLink[] => readChatLinks(chats) ?? [];

/** Refuses schemes that could run a script, because the address comes from an option. */
const isOpenable = (link: string): boolean =>
  /^[a-z][a-z0-9+.-]*:/i.test(link) && !/^\s*(javascript|data|vbscript|blob|file):/i.test(link);

/** Replaces `{key}` by `sk-…` and `{address}` by the encoded server address; `undefined` if the template is unusable. */
export function chatAddress(template: string, key: string, server: string): string | undefined {
  const link = template.replaceAll('{key}', `sk-${key}`).replaceAll('{address}', encodeURIComponent(server));
  return isOpenable(link) ? link : undefined;
}

/** An old chat link has only the address of the program; the settings are appended in that program's format. */
export const withSettings = (link: string): string =>
  link.includes('{key}') ? link : `${link.replace(/\/$/, '')}/#/?settings={"key":"{key}","url":"{address}"}`;

/** Where the key would be sent, for the user to read: the host of a web page, else the scheme of the link. */
export function chatPlace(template: string): { web: boolean; place: string } | undefined {
  const address = chatAddress(template, '', '');
  if (address === undefined || !URL.canParse(address)) return undefined;
  const { protocol, host } = new URL(address);
  const web = protocol === 'https:' || protocol === 'http:';
  return { web, place: web ? host : protocol };
}
