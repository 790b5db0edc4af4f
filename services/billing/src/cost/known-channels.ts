import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { nameChannels } from '@tollgate/contracts';
import { AppError, InternalClient } from '@tollgate/chassis';
import { bound } from '@tollgate/database';

/** `channel_day` may begin in the middle of an older journal; only then do statements name channels that it lacks. */
const everServed = `select "channel_id" as "id" from "channel_day" where "channel_id" = any($1::int[])
  union select "channel_id" from "statement_day" where "channel_id" = any($1::int[])
    and exists (select from "channel_day_start" where "first_day" > '-infinity')`;

/** Refuses ids of channels that never existed, such as mistyped numbers. */
@Injectable()
export class KnownChannels {
  constructor(
    private readonly em: EntityManager,
    private readonly internal: InternalClient,
  ) {}

  /** Throws `channels-unknown` with the ids of channels that do not exist now. */
  async requirePresent(ids: readonly number[]): Promise<void> {
    refuseAny(await this.absent(ids));
  }

  /**
   * Throws `channels-unknown` with the ids of channels that neither exist now nor ever served a request. A deleted
   * channel is accepted, because its last invoice may come later.
   */
  async requireKnown(ids: readonly number[]): Promise<void> {
    const absent = await this.absent(ids);
    if (absent.length === 0) return;
    const served = new Set((await bound<{ id: number }>(this.em, everServed, [absent])).map(({ id }) => id));
    refuseAny(absent.filter((id) => !served.has(id)));
  }

  private async absent(ids: readonly number[]): Promise<number[]> {
    const wanted = [...new Set(ids)];
    const { names } = await this.internal.call(nameChannels, { ids: wanted });
    return wanted.filter((id) => !(id in names));
  }
}

function refuseAny(ids: readonly number[]): void {
  if (ids.length === 0) return;
  const shown = ids.slice(0, 10).join(', ');
  throw new AppError('invalid', 'channels-unknown', `渠道不存在：${shown}`, { params: { ids: shown } });
}
