import { Injectable } from '@nestjs/common';
import { pollIdentity, resolveUsers, type UserRecord } from '@tollgate/contracts';
import { ReadModels, InternalClient, growingCache } from '@tollgate/chassis';
import { BatchLoader } from './batch-loader.js';

const USERS = 100_000;

/** Status, role and group of users, kept in memory until identity reports a change. */
@Injectable()
export class UserDirectory {
  private readonly users = growingCache<number, UserRecord>({ most: USERS });
  private readonly loader: BatchLoader<number, UserRecord>;
  private revision = 0;
  private generation = 0;

  constructor(
    private readonly internal: InternalClient,
    readModels: ReadModels,
  ) {
    this.loader = new BatchLoader((ids) => this.load(ids));
    readModels.follow({
      owner: 'identity',
      topics: ['user-changed'],
      name: 'user',
      revision: () => this.revision,
      catchUp: () => this.poll(),
      onEvent: (id) => this.forget(Number(id)),
    });
  }

  /** `undefined` when the user is deleted or never existed. */
  find(id: number): Promise<UserRecord | undefined> | UserRecord | undefined {
    return this.users.get(id) ?? this.loader.get(id);
  }

  private async load(ids: number[]): Promise<Map<number, UserRecord>> {
    const { generation } = this;
    const { users } = await this.internal.call(resolveUsers, { ids });
    if (generation === this.generation) for (const user of users) this.users.set(user.id, user);
    return new Map(users.map((user) => [user.id, user]));
  }

  /** A reply that was requested before a change is neither cached nor shared with later callers. */
  private discardRunning(): void {
    this.generation += 1;
    this.loader.discardRunning();
  }

  private forget(id: number): void {
    this.discardRunning();
    this.users.delete(id);
  }

  private async poll(): Promise<void> {
    const { userRevision, changedUserIds, complete } = await this.internal.call(pollIdentity, {
      usersSince: this.revision,
    });
    if (userRevision === this.revision) return;
    this.discardRunning();
    this.revision = userRevision;
    if (!complete) this.users.clear();
    for (const id of changedUserIds) this.users.delete(id);
  }
}
