import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { adminAction } from '@tollgate/contracts';
import type { Caller } from '@tollgate/chassis';
import { Outbox } from '@tollgate/database';

/** Ids of channels, or all that the call concerns. */
type Called = readonly number[] | 'all';

/**
 * Notes in the audit log that an administrator had providers called: it changes what is known about channels, and may cost money there.
 * Scheduled runs have no actor and are not noted.
 */
@Injectable()
export class UpstreamAudit {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: Outbox,
  ) {}

  async note(
    actor: Caller,
    action: 'channel-test' | 'channel-balance',
    called: Called,
    outcome: Record<string, unknown> = {},
  ): Promise<void> {
    const isOne = called !== 'all' && called.length === 1;
    const subject = isOne ? `channel:${called[0]}` : 'channels';
    const after = { ...(!isOne && { channels: called }), ...outcome };
    await this.em.transactional(() => this.outbox.add(adminAction, { actorId: actor.userId, action, subject, after }));
  }
}
