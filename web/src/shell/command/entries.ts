import type { Status } from '@tollgate/contracts/api/status';
import { LogType, Role } from '@tollgate/contracts/roles';
import { matching } from '../../components/basics/matching.js';
import type { Say } from '../../app/i18n/text-keys.js';
import { knownKey } from '../../app/i18n/text-keys.js';
import type { PageRow } from '../../app/page-list.js';
import { addressOf, navRows, pages } from '../../app/page-list.js';

export type EntryGroup = 'recent' | 'page' | 'action' | 'setting' | 'request' | 'channel' | 'user' | 'token';

/** One entry of the palette. No entry has a destructive effect. */
export interface Entry {
  /** Unique over all groups; stored for entries that were chosen. */
  id: string;
  group: EntryGroup;
  /** The displayed name. */
  name: string;
  /** Shown small beside the name: an id, a tab. */
  note?: string;
  /** Text that the search compares, in lower case; the name if it is missing. */
  words?: string;
  /** Either an address or an action of the console. */
  to?: string;
  run?: () => void;
}

const publicPages = ['home', 'pricing', 'about'];

/** Pages that the user may open, in the order of the menus. */
export function pageEntries(role: number, status: Partial<Status>, say: Say): Entry[] {
  const rows = [...navRows(role, status), ...pages.filter(({ id }) => publicPages.includes(id))];
  return rows.map((row: PageRow) => ({
    id: `page:${row.id}`,
    group: 'page',
    name: say(row.titleKey),
    note: addressOf(row),
    words: `${say(row.titleKey)} ${row.id} ${addressOf(row)}`.toLowerCase(),
    to: addressOf(row),
  }));
}

const openings = [
  { id: 'addChannel', to: '/channel/add', minRole: Role.admin },
  { id: 'addToken', to: '/token/add', minRole: Role.user },
  { id: 'addUser', to: '/user/add', minRole: Role.admin },
  { id: 'failures', to: `/log?type=${LogType.error}`, minRole: Role.user },
] as const;

/** Actions that open something, by role, followed by those that change the view. */
export function actionEntries(role: number, say: Say, changes: Record<string, () => void>): Entry[] {
  const name = (id: string): string => say(knownKey(`command:action.${id}`));
  return [
    ...openings
      .filter(({ minRole }) => role >= minRole)
      .map(({ id, to }): Entry => ({ id: `action:${id}`, group: 'action', name: name(id), to })),
    ...Object.entries(changes).map(([id, run]): Entry => ({
      id: `action:${id}`,
      group: 'action',
      name: name(id),
      run,
    })),
  ];
}

const REQUEST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function requestEntries(text: string, say: Say): Entry[] {
  const id = text.trim();
  if (!REQUEST_ID.test(id)) return [];
  return [{ id: `request:${id}`, group: 'request', name: say('command:request', { id }), to: `/log?request_id=${id}` }];
}

const MOST_PER_GROUP = 6;

/** The matching entries, at most `MOST_PER_GROUP` of each group. */
export function found(entries: readonly Entry[], text: string): Entry[] {
  const counts = new Map<EntryGroup, number>();
  return matching(entries, text).filter(({ group }) => {
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    return count <= MOST_PER_GROUP;
  });
}
