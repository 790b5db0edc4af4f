import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { findChannelType, keyTextFault } from '@tollgate/contracts';
import type { Why, WhyChannelQuery, WhyObstacle } from '@tollgate/contracts/api/channel-health';
import { OptionStore } from '@tollgate/chassis';
import { isPriced, pricedName } from '@tollgate/pricing';
import { findProvider, resolveModel } from '@tollgate/providers';
import { Channel } from '../channel/channel.entity.js';
import { ChannelKeys } from '../channel/channel-keys.js';
import { channelNotFound } from '../channel/channel-store.js';
import { toRoutedChannel } from '../channel/routed-channel.js';
import { ChannelSuspicion } from '../suspicion/channel-suspicion.entity.js';
import { type Candidate, whyNot } from './why-not.js';

/** Maximum of channels examined and shown; beyond it the list is cut off. */
const LOOKED_AT = 2000;
const SHOWN = 200;

/** Which channels could serve a group and model, from the same tables as the routing. */
@Injectable()
export class WhyQueries {
  constructor(
    private readonly em: EntityManager,
    private readonly keys: ChannelKeys,
    private readonly options: OptionStore,
  ) {}

  async explain(query: WhyChannelQuery): Promise<Why> {
    const { group, model, channel_id: requestedId } = query;
    const ids = await this.idsFor(query);
    if (requestedId !== undefined && !ids.includes(requestedId)) ids.push(requestedId);
    const channels = await this.em.find(Channel, { id: { $in: ids } }, { disableIdentityMap: true });
    if (requestedId !== undefined && !channels.some(({ id }) => id === requestedId)) throw channelNotFound();
    const suspects = await this.em.find(
      ChannelSuspicion,
      { channelId: { $in: ids }, clearedAt: null },
      { fields: ['channelId'] },
    );
    const suspectIds = new Set(suspects.map(({ channelId }) => channelId));
    const tries = this.options.get('RetryTimes') + 1;
    const rows = whyNot(
      channels.map((channel) => this.candidate(channel, query, suspectIds.has(channel.id))),
      tries,
    );
    const shown = rows.slice(0, SHOWN);
    const own = rows.find(({ id }) => id === requestedId);
    return {
      group,
      model,
      obstacles: this.obstacles(
        query,
        rows.some(({ place }) => place !== 'out'),
      ),
      tries,
      channels: own && !shown.includes(own) ? [own, ...shown] : shown,
      total: rows.length,
    };
  }

  /**
   * Channels that serve the model, those of the group before those of other groups. Each (group, model) pair is an
   * index look-up, so this is cheap with many channels, too.
   */
  private async idsFor({ group, model }: WhyChannelQuery): Promise<number[]> {
    const groups = [...new Set([group, ...Object.keys(this.options.get('GroupRatio'))])];
    const rows = await this.em.execute<{ channel_id: number }[]>(
      `select "channel_id" from "ability" where "group" = any(array[?]::text[]) and "model" = any(array[?]::text[])
       group by "channel_id" order by bool_or("group" = ?) desc, "channel_id" limit ?`,
      [groups, [...new Set([model, pricedName(model)])], group, LOOKED_AT],
    );
    return rows.map((row) => row.channel_id);
  }

  private candidate(channel: Channel, { group, model, endpoint }: WhyChannelQuery, isSuspect: boolean): Candidate {
    const { id, name, type, status, statusReason, priority, weight, groups, models } = channel;
    const provider = findProvider(type);
    const isBuilt = provider !== undefined || findChannelType(type)?.capabilities.includes('tasks') === true;
    return {
      id,
      name,
      type,
      status,
      statusReason,
      priority,
      weight,
      servesGroup: groups.includes(group),
      servesModel: models.includes(model) || models.includes(pricedName(model)),
      isBuilt,
      hasEndpoint: endpoint === undefined || provider?.[endpoint] !== undefined,
      isMappingSound: isSound(channel, model),
      ...this.keysOf(channel),
      isSuspect,
    };
  }

  private keysOf(channel: Channel): Pick<Candidate, 'hasUsableKey' | 'keys'> {
    try {
      const all = this.keys.all(channel);
      const isDocument = findChannelType(channel.type)?.keyIsJson === true;
      const hasUsableKey = all.some(({ key }) => key !== '' && keyTextFault(key, isDocument) === undefined);
      if (channel.keyMode === '') return { hasUsableKey };
      return { hasUsableKey, keys: { serving: all.filter(({ away }) => !away).length, size: all.length } };
    } catch {
      return { hasUsableKey: false };
    }
  }

  private obstacles({ group, model }: WhyChannelQuery, isServed: boolean): WhyObstacle[] {
    const tables = { modelPrice: this.options.get('ModelPrice'), modelRatio: this.options.get('ModelRatio') };
    const obstacles: [boolean, WhyObstacle][] = [
      [!Object.hasOwn(this.options.get('GroupRatio'), group), 'unknown_group'],
      [!isPriced(model, tables) && !this.options.get('SelfUseModeEnabled'), 'unpriced_model'],
      [!isServed, 'no_channel'],
    ];
    return obstacles.filter(([holds]) => holds).map(([, obstacle]) => obstacle);
  }
}

function isSound(channel: Channel, model: string): boolean {
  try {
    resolveModel(toRoutedChannel(channel, '').modelMapping, model);
    return true;
  } catch {
    return false;
  }
}
