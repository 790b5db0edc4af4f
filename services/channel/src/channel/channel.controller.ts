import { Body, Controller, Param, Query } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import {
  type Channel as ChannelReply,
  type ChannelKeyRow,
  type ChannelCounts,
  type ChannelListQuery,
  channelListQuerySchema,
  channelSearchQuerySchema,
  createChannelSchema,
  deleteChannelsSchema,
  switchKeySchema,
  updateChannelSchema,
} from '@tollgate/contracts/api/channel';
import { type Caller, CurrentCaller, type IdParam, idParamSchema, RawReply, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import type { ChannelPatch, NewChannel } from './channel-fields.js';
import { type ChannelPage, ChannelQueries } from './channel.queries.js';
import { toChannelReply, toChannelRow } from './channel.reply.js';
import { KeySwitchService } from './key-switch.service.js';
import { ChannelService } from './channel.service.js';

/** The documented reply is a bare array, so the total number of matches is sent in a header. */
const toListReply = ({ channels, total }: ChannelPage): RawReply =>
  new RawReply({ success: true, message: '', data: channels.map(toChannelRow) }, 200, {
    'X-Total-Count': String(total),
  });

@Controller()
export class ChannelController {
  constructor(
    private readonly channels: ChannelService,
    private readonly queries: ChannelQueries,
    private readonly keys: KeySwitchService,
  ) {}

  @Route(routes.listChannels)
  async list(@Query({ schema: channelListQuerySchema }) query: ChannelListQuery): Promise<RawReply> {
    return toListReply(await this.queries.list(query));
  }

  @Route(routes.searchChannels)
  async search(@Query({ schema: channelSearchQuerySchema }) query: ChannelListQuery): Promise<RawReply> {
    return toListReply(await this.queries.list(query));
  }

  @Route(routes.countChannels)
  count(): Promise<ChannelCounts> {
    return this.queries.count();
  }

  @Route(routes.getChannel)
  async get(@Param({ schema: idParamSchema }) { id }: IdParam): Promise<ChannelReply> {
    return toChannelReply(await this.queries.get(id));
  }

  @Route(routes.listChannelKeys)
  listKeys(@Param({ schema: idParamSchema }) { id }: IdParam): Promise<ChannelKeyRow[]> {
    return this.keys.list(id);
  }

  @Route(routes.switchChannelKey)
  switchKey(
    @Param({ schema: idParamSchema }) { id }: IdParam,
    @Body({ schema: switchKeySchema }) wanted: z.output<typeof switchKeySchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<ChannelKeyRow[]> {
    return this.keys.switch(id, wanted, caller);
  }

  /** `ids` is an addition to the documented reply. */
  @Route(routes.createChannel)
  async create(
    @Body({ schema: createChannelSchema }) form: NewChannel,
    @CurrentCaller() caller: Caller,
  ): Promise<{ ids: number[] }> {
    return { ids: await this.channels.create(form, caller) };
  }

  @Route(routes.updateChannel)
  async update(
    @Body({ schema: updateChannelSchema }) patch: ChannelPatch,
    @CurrentCaller() caller: Caller,
  ): Promise<ChannelReply> {
    return toChannelReply(await this.channels.update(patch, caller));
  }

  @Route(routes.deleteDisabledChannels)
  deleteDisabled(@CurrentCaller() caller: Caller): Promise<number> {
    return this.channels.deleteDisabled(caller);
  }

  @Route(routes.deleteChannel)
  delete(@Param({ schema: idParamSchema }) { id }: IdParam, @CurrentCaller() caller: Caller): Promise<void> {
    return this.channels.delete(id, caller);
  }

  @Route(routes.deleteChannels)
  deleteMany(
    @Body({ schema: deleteChannelsSchema }) body: z.output<typeof deleteChannelsSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<number> {
    return this.channels.deleteMany(body, caller);
  }

  @Route(routes.fixAbilities)
  fix(@CurrentCaller() caller: Caller): Promise<number> {
    return this.channels.fixAbilities(caller);
  }
}
