import type { Status } from '@tollgate/contracts/api/status';

export interface ChatLink {
  name: string;
  template: string;
}

/** The operator's chat programs, in their order. */
export const chatLinks = (chats: Status['chats'] | undefined): ChatLink[] =>
  (chats ?? []).flatMap((entry) => Object.entries(entry).map(([name, template]) => ({ name, template })));

/** Never a script: the address comes from an option. */
const isOpenable = (link: string): boolean =>
  /^[a-z][a-z0-9+.-]*:/i.test(link) && !/^\s*(javascript|data|vbscript|blob|file):/i.test(link);

/** `{key}` → `sk-…`, `{address}` → the encoded server address; undefined when the template is unusable. */
export function chatAddress(template: string, key: string, server: string): string | undefined {
  const link = template.replaceAll('{key}', `sk-${key}`).replaceAll('{address}', encodeURIComponent(server));
  return isOpenable(link) ? link : undefined;
}
