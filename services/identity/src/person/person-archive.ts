import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import {
  adminAction,
  type InternalCall,
  personOfBilling,
  personOfChannel,
  personOfLogging,
  type PersonPage,
} from '@tollgate/contracts';
import { AppError, type Caller, Clock, InternalClient, Logger, SessionStore } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';
import { Delivery } from '../delivery/delivery.entity.js';
import { AttemptLimit } from '../credential/attempt-limit.js';
import { Passkey } from '../factor/passkey.entity.js';
import { SignIn } from '../login/sign-in.entity.js';
import { User } from '../user/user.entity.js';
import { accountOf, deliveryOf, passkeyOf, type Section, sessionOf, signInOf } from './archive-rows.js';

/** The other services in the order of the archive; their data is fetched page by page while the reply is being sent. */
const NEIGHBOURS = [personOfBilling, personOfChannel, personOfLogging] as const;
const OWN_PAGE = 500;

/** Everything that is stored about one person, streamed as one JSON text. At most one page of it is in memory. */
@Injectable()
export class PersonArchive {
  constructor(
    private readonly em: EntityManager,
    private readonly internal: InternalClient,
    private readonly sessions: SessionStore,
    private readonly attempts: AttemptLimit,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  /**
   * Throws `user-not-found`, or the error of the rate limit; deleted users can be exported too. When the caller exports
   * another person, the audit event is committed before the first byte is sent.
   */
  async of(userId: number, caller: Caller): Promise<AsyncGenerator<string>> {
    const user = await this.em.findOne(User, { id: userId }, { disableIdentityMap: true });
    if (!user) throw new AppError('not-found', 'user-not-found', '用户不存在', { params: { id: userId } });
    await this.attempts.admit('export', String(caller.userId));
    if (caller.userId !== userId) {
      const record = { actorId: caller.userId, action: 'user-export' as const, subject: `user:${userId}` };
      await this.em.transactional(() => this.outbox.add(adminAction, record));
    }
    return this.text(user);
  }

  /** A failure in the middle ends the text early; it is then no valid JSON, so nobody takes it for complete. */
  private async *text(user: User): AsyncGenerator<string> {
    try {
      const head = { format: 'tollgate-person-1', user_id: user.id, exported_at: this.clock.seconds() };
      yield `${JSON.stringify(head).slice(0, -1)},\n"account": ${JSON.stringify(accountOf(user))}`;
      for (const { name, pages } of this.sections(user.id)) {
        yield `,\n"${name}": [`;
        yield* listOf(pages);
        yield ']';
      }
      yield ',\n"complete": true}\n';
    } catch (error) {
      this.logger.error('the archive of a person broke off', { error, userId: user.id });
      throw error;
    }
  }

  private *sections(userId: number): Generator<Section> {
    const em = this.em.fork();
    yield { name: 'sessions', pages: this.aliveSessions(em, userId) };
    yield { name: 'sign_ins', pages: ownPages(em, SignIn, userId, signInOf) };
    yield { name: 'passkeys', pages: ownPages(em, Passkey, userId, passkeyOf) };
    yield { name: 'deliveries', pages: ownPages(em, Delivery, userId, deliveryOf) };
    for (const call of NEIGHBOURS)
      for (const name of call.sections) yield { name, pages: this.pagesOf(call, userId, name) };
  }

  private async *aliveSessions(em: EntityManager, userId: number): AsyncGenerator<object[]> {
    for await (const rows of ownPages(em, SignIn, userId, (row) => row)) {
      const found = await Promise.all(rows.map(({ sessionId }) => this.sessions.find(sessionId)));
      yield found.flatMap((record) => (record ? [sessionOf(record)] : []));
    }
  }

  private async *pagesOf(call: InternalCall, userId: number, section: string): AsyncGenerator<object[]> {
    let after: string | null = null;
    do {
      const page = (await this.internal.call(call, { userId, section, after })) as PersonPage;
      yield page.rows;
      after = page.next;
    } while (after !== null);
  }
}

async function* listOf(pages: AsyncIterable<object[]>): AsyncGenerator<string> {
  let before = '\n';
  for await (const rows of pages) {
    if (rows.length === 0) continue;
    yield before + rows.map((row) => JSON.stringify(row)).join(',\n');
    before = ',\n';
  }
}

type Owned = typeof SignIn | typeof Passkey | typeof Delivery;

/** Pages of a table of identity, oldest row first. */
async function* ownPages<Entity extends Owned, Row>(
  em: EntityManager,
  entity: Entity,
  userId: number,
  toRow: (row: InstanceType<Entity>) => Row,
): AsyncGenerator<Row[]> {
  let last = 0;
  for (;;) {
    const rows = (await em.find(
      entity as typeof SignIn,
      { userId, id: { $gt: last } },
      { orderBy: { id: 'asc' }, limit: OWN_PAGE, disableIdentityMap: true },
    )) as InstanceType<Entity>[];
    yield rows.map(toRow);
    if (rows.length < OWN_PAGE) return;
    last = rows.at(-1)?.id ?? last;
  }
}
