import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ChannelStatus } from '@tollgate/contracts';

/**
 * Abilities are the cross product of each channel's groups and models. They are derived inside the database from the
 * channel rows, and only rows that differ are written, so a second run changes nothing.
 */
@Injectable()
export class AbilityService {
  constructor(private readonly em: EntityManager) {}

  /** Updates the abilities of these channels, in the caller's transaction and after its flush. */
  async sync(em: EntityManager, channelIds: readonly number[]): Promise<void> {
    if (channelIds.length === 0) return;
    await em.execute(
      `delete from "ability" a using "channel" c
       where c."id" = a."channel_id" and a."channel_id" = any(array[?]::int[])
         and not (a."group" = any(c."groups") and a."model" = any(c."models"))`,
      [channelIds],
    );
    await em.execute(
      `insert into "ability" ("group", "model", "channel_id", "enabled")
       select distinct g."name", m."name", c."id", c."status" = ${ChannelStatus.enabled}
       from "channel" c, unnest(c."groups") g("name"), unnest(c."models") m("name")
       where c."id" = any(array[?]::int[])
       on conflict ("group", "model", "channel_id") do update set "enabled" = excluded."enabled"
       where "ability"."enabled" <> excluded."enabled"`,
      [channelIds],
    );
  }

  /** Distinct pairs that an enabled channel serves. */
  async listPairs(): Promise<{ group: string; model: string }[]> {
    return this.em.execute<{ group: string; model: string }[]>(
      'select distinct "group", "model" from "ability" where "enabled" order by "group", "model"',
    );
  }

  async listEnabledModels(): Promise<string[]> {
    const rows = await this.em.execute<{ model: string }[]>(
      'select distinct "model" from "ability" where "enabled" order by "model"',
    );
    return rows.map(({ model }) => model);
  }

  async listModelsOf(groups: readonly string[]): Promise<string[]> {
    if (groups.length === 0) return [];
    const rows = await this.em.execute<{ model: string }[]>(
      'select distinct "model" from "ability" where "enabled" and "group" = any(array[?]::text[]) order by "model"',
      [groups],
    );
    return rows.map(({ model }) => model);
  }
}
