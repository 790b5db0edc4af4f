import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { nameChannels } from '@tollgate/contracts';
import { AppError, InternalClient } from '@tollgate/chassis';
import { bound } from '@tollgate/database';

/** Statements know more than the days of channels only where these began in a journal that had rows. */
const everServed = `select "channel_id" as "id" from "channel_day" where "channel_id" = any($1::int[])
  union select "channel_id" from "statement_day" where "channel_id" = any($1::int[])
    and exists (select from "channel_day_start" where "first_day" > '-infinity')`;

/** Keeps a mistyped number out of what is said about channels. */
@Injectable()
export class KnownChannels {
  constructor(
    private readonly em: EntityManager,
    private readonly internal: InternalClient,
  ) {}

  /** Throws `channels-unknown` with those that are not there now. */
  async requirePresent(ids: readonly number[]): Promise<void> {
    refuseAny(await this.absent(ids));
  }

  /** Throws `channels-unknown` with those that neither are there now nor ever served a request: a channel's last invoice may come after it. */
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
