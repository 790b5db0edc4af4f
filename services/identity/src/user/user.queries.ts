import { type EntityManager, type FilterQuery } from '@mikro-orm/postgresql';
import { findPage, likePattern } from '@tollgate/database';
import { MAX_ID } from '@tollgate/contracts/api/fields';
import type { UserListQuery } from '@tollgate/contracts/api/user';
import { User } from './user.entity.js';

/** Newest first. Includes deleted users, which the list marks as such. */
export const findUserPage = (em: EntityManager, query: UserListQuery): Promise<[User[], number]> =>
  findPage(em, User, whereOf(query), query);

/** The keyword is matched literally in names and address; a number also matches the user with that id. */
function whereOf({ keyword, group }: UserListQuery): FilterQuery<User> {
  const conditions: FilterQuery<User>[] = [];
  const wanted = keyword.trim();
  if (group !== '') conditions.push({ group });
  if (wanted !== '') {
    const pattern = { $ilike: likePattern(wanted) };
    const byId = /^\d{1,10}$/.test(wanted) && Number(wanted) <= MAX_ID ? [{ id: Number(wanted) }] : [];
    conditions.push({ $or: [{ username: pattern }, { displayName: pattern }, { email: pattern }, ...byId] });
  }
  return conditions.length === 0 ? {} : { $and: conditions };
}

/** Whether a user, deleted or not, has this name or address. */
export async function isTaken(em: EntityManager, key: { usernameKey?: string; email?: string }): Promise<boolean> {
  const alternatives: FilterQuery<User>[] = [];
  if (key.usernameKey !== undefined) alternatives.push({ usernameKey: key.usernameKey });
  if (key.email !== undefined && key.email !== '') alternatives.push({ email: key.email });
  return alternatives.length > 0 && (await em.count(User, { $or: alternatives })) > 0;
}

const MAX_CHANGED = 1000;

/** Ids of users changed after a revision, oldest change first. Cut off (`complete: false`) when there are too many. */
export async function findChangedSince(
  em: EntityManager,
  since: number,
): Promise<{ ids: number[]; complete: boolean }> {
  const rows = await em.execute<{ id: number }[]>(
    'select "id" from "users" where "revision" > ? order by "revision" limit ?',
    [since, MAX_CHANGED + 1],
  );
  return { ids: rows.slice(0, MAX_CHANGED).map(({ id }) => id), complete: rows.length <= MAX_CHANGED };
}
