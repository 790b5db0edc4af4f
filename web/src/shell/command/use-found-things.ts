import { Role } from '@tollgate/contracts/roles';
import { useListChannelsQuery } from '../../api/channel.api.js';
import { useListTokensQuery } from '../../api/token.api.js';
import { useListUsersQuery } from '../../api/user.api.js';
import { useSettled } from '../../components/basics/use-settled.js';
import type { Entry, EntryGroup } from './entries.js';

const WAIT_MS = 200;
const LEAST_LETTERS = 2;
const PAGE = { page: 1, size: 5 };

interface Answer<T> {
  /** Result for the current text, never for the previous one. */
  currentData?: { items: T[] };
  isFetching: boolean;
  isError: boolean;
}

function entriesOf<T extends { id: number }>(
  { currentData }: Answer<T>,
  group: EntryGroup,
  { name, to }: { name: (row: T) => string; to: string },
): Entry[] {
  return (currentData?.items ?? [])
    .slice(0, PAGE.size)
    .map((row) => ({ id: `${group}:${row.id}`, group, name: name(row), note: `#${row.id}`, to: `${to}${row.id}` }));
}

/** Channels, users and tokens by id or name; if one of the queries fails the results of the others are shown. */
export function useFoundThings(
  text: string,
  role: number,
): { entries: Entry[]; isSearching: boolean; hasFailed: boolean } {
  const keyword = useSettled(text.trim(), WAIT_MS);
  const skip = keyword.length < LEAST_LETTERS && !/^\d$/.test(keyword);
  const channels = useListChannelsQuery(
    { ...PAGE, filter: { keyword, model: '', group: '', status: '', sort: '', tags: '' } },
    { skip: skip || role < Role.admin },
  );
  const users = useListUsersQuery({ ...PAGE, filter: { keyword, group: '' } }, { skip: skip || role < Role.admin });
  const tokens = useListTokensQuery({ ...PAGE, filter: { keyword, token: '' } }, { skip });
  const all = [channels, users, tokens];
  if (skip) return { entries: [], isSearching: false, hasFailed: false };
  return {
    entries: [
      ...entriesOf(channels, 'channel', { name: (row) => row.name, to: '/channel/edit/' }),
      ...entriesOf(users, 'user', { name: (row) => row.username, to: '/user/edit/' }),
      ...entriesOf(tokens, 'token', { name: (row) => row.name, to: '/token/edit/' }),
    ],
    isSearching: all.some(({ isFetching }) => isFetching),
    hasFailed: all.some(({ isError }) => isError),
  };
}
