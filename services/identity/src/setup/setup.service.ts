import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { plainName, Role, setupCompleted } from '@tollgate/contracts';
import { setupSchema, type SetupStatus } from '@tollgate/contracts/api/setup';
import { AppError, Host, Lifecycle, productVersion } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import type { z } from 'zod';
import { hashPassword } from '../credential/password.js';
import { OptionService } from '../option/option.service.js';
import { User } from '../user/user.entity.js';
import { UserStore } from '../user/user-store.js';
import { WalletsClient } from '../user/wallets.client.js';
import { SetupToken } from './setup-token.js';
import { checkRootCredentials } from './root-credentials.js';
import type { SetupMode } from './setup.entity.js';

type SetupForm = z.output<typeof setupSchema>;

/** The first run. The system is set up only once, even when several people or replicas try at the same time. */
@Injectable()
export class SetupService {
  /** Cached, because it never becomes false again. */
  private done = false;

  constructor(
    private readonly em: EntityManager,
    private readonly users: UserStore,
    private readonly options: OptionService,
    private readonly wallets: WalletsClient,
    private readonly outbox: Outbox,
    private readonly token: SetupToken,
    host: Host,
    lifecycle: Lifecycle,
  ) {
    lifecycle.onReady(async () => {
      if (!(await this.isDone())) host.notes.push(this.token.note());
    });
  }

  async isDone(): Promise<boolean> {
    if (!this.done) {
      const rows = await this.em.execute<object[]>('select 1 from "setup"');
      this.done = rows.length > 0;
    }
    return this.done;
  }

  /** Nobody registers before the set-up: they could take the name that the administrator wants. */
  async assertDone(): Promise<void> {
    if (await this.isDone()) return;
    throw new AppError('forbidden', 'setup-first', '系统尚未初始化，请先完成初始化设置');
  }

  async status(isLocal: boolean): Promise<SetupStatus> {
    const done = await this.isDone();
    const rootExists = done || (await this.findRoot(this.em)) !== null;
    const known = { status: done, root_init: rootExists, database_type: 'postgres' };
    return done || isLocal ? known : { ...known, token_required: true };
  }

  /** A caller from another machine must send the set-up token. */
  async run(body: unknown, isLocal: boolean): Promise<void> {
    if (await this.isDone()) throw alreadyDone();
    const form = setupSchema.safeParse(body);
    if (!form.success) throw new AppError('invalid', 'setup-body-invalid', '请求参数有误');
    if (!isLocal) this.token.require(form.data.setup_token);
    const needsRoot = (await this.findRoot(this.em)) === null;
    if (needsRoot) checkRootCredentials(form.data);
    const passwordHash = needsRoot ? await hashPassword(form.data.password) : '';
    const rootId = await this.em.transactional((em) => this.claim(em, form.data, passwordHash));
    this.done = true;
    await this.options.refreshStore();
    await this.wallets.open(rootId, 'setup');
  }

  /**
   * Writes everything in one transaction. The caller that inserts the only row of `setup` wins; concurrent callers wait
   * for its commit and are refused.
   */
  private async claim(em: EntityManager, form: SetupForm, passwordHash: string): Promise<number> {
    const mode = modeOf(form);
    const claimed = await em.execute<object[]>(
      'insert into "setup" ("id", "version", "mode", "root_user_id") values (1, ?, ?, 0) on conflict do nothing returning "id"',
      [productVersion, mode],
    );
    if (claimed.length === 0) throw alreadyDone();
    const root = (await this.findRoot(em)) ?? (await this.createRoot(form, passwordHash));
    await em.execute('update "setup" set "root_user_id" = ?', [root.id]);
    await this.options.put(em, 'SelfUseModeEnabled', String(mode === 'self'), root.id);
    await this.options.put(em, 'DemoSiteEnabled', String(mode === 'demo'), root.id);
    await this.outbox.add(setupCompleted, { rootUserId: root.id, mode });
    return root.id;
  }

  private createRoot({ username }: SetupForm, passwordHash: string): Promise<User> {
    const name = plainName(username);
    const root = { username: name, displayName: 'Root User', passwordHash, role: Role.root, kind: 'setup' } as const;
    return this.users.create(root).catch((error: unknown) => {
      throw error instanceof AppError && error.kind === 'conflict' ? asInvalid(error) : error;
    });
  }

  private findRoot(em: EntityManager): Promise<User | null> {
    return em.findOne(User, { role: Role.root, deletedAt: null }, { orderBy: { id: 'asc' } });
  }
}

/** Set-up answers 400 to everything in its form that it refuses, a taken name included. */
const asInvalid = ({ code, message, details }: AppError): AppError => new AppError('invalid', code, message, details);

const alreadyDone = (): AppError => new AppError('invalid', 'setup-done', '系统已经初始化完成');

/** If both are ticked, self-use mode wins, because it is stricter. */
const modeOf = ({ SelfUseModeEnabled: self, DemoSiteEnabled: demo }: SetupForm): SetupMode => {
  if (self) return 'self';
  return demo ? 'demo' : 'external';
};
