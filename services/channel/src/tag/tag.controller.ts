import { Body, Controller } from '@nestjs/common';
import { routes } from '@tollgate/contracts';
import { tagChannelsSchema, tagNameSchema, updateTagSchema } from '@tollgate/contracts/api/channel';
import { type Caller, CurrentCaller, Route } from '@tollgate/chassis';
import type { z } from 'zod';
import { TagService } from './tag.service.js';

@Controller()
export class TagController {
  constructor(private readonly tags: TagService) {}

  @Route(routes.tagChannels)
  tag(
    @Body({ schema: tagChannelsSchema }) body: z.output<typeof tagChannelsSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<number> {
    return this.tags.tag(body, caller);
  }

  @Route(routes.updateTag)
  update(
    @Body({ schema: updateTagSchema }) body: z.output<typeof updateTagSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.tags.update(body, caller);
  }

  @Route(routes.enableTag)
  enable(
    @Body({ schema: tagNameSchema }) { tag }: z.output<typeof tagNameSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.tags.enable(tag, caller);
  }

  @Route(routes.disableTag)
  disable(
    @Body({ schema: tagNameSchema }) { tag }: z.output<typeof tagNameSchema>,
    @CurrentCaller() caller: Caller,
  ): Promise<void> {
    return this.tags.disable(tag, caller);
  }
}
