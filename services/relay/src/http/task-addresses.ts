import { Injectable } from '@nestjs/common';
import { Clock, Host, OptionStore, picturePath, pictureTask, SecretBox } from '@tollgate/chassis';
import type { TaskRecord } from '@tollgate/contracts';
import { z } from 'zod';

const CALLBACK = 'task-callback';
const callbackSchema = z.object({ channelId: z.int().positive(), requestId: z.uuid() });

export type CallbackTask = z.infer<typeof callbackSchema>;

/** Addresses of ours that others are given: pictures for users, call backs for upstreams. Both are signed. */
@Injectable()
export class TaskAddresses {
  constructor(
    private readonly secrets: SecretBox,
    private readonly options: OptionStore,
    private readonly host: Host,
    private readonly clock: Clock,
  ) {}

  /** Where the picture of a drawing is shown; empty while there is none. */
  picture({ id, upstreamId, imageUrl }: TaskRecord): string {
    if (imageUrl === '' || !this.options.get('MjForwardUrlEnabled')) return imageUrl;
    return `${this.server}${picturePath(this.secrets, { task: id, id: upstreamId }, this.clock.now())}`;
  }

  /** Undefined for an address that we never gave away, or that is too old. */
  pictureTask(id: string, sign: string): number | undefined {
    return pictureTask(this.secrets, { id, sign }, this.clock.now());
  }

  /** Under which a channel's upstream may tell of the one task of this request, and of no other. */
  callback(task: CallbackTask): string {
    return `${this.server}/mj/notify?sign=${this.secrets.sign(CALLBACK, task)}`;
  }

  /** Undefined for an address that we never gave away. */
  callbackTask(sign: string): CallbackTask | undefined {
    return callbackSchema.safeParse(this.secrets.verify(CALLBACK, sign)).data;
  }

  private get server(): string {
    const set = this.options.text('ServerAddress') === '' ? this.host.address : this.options.get('ServerAddress');
    return set.replace(/\/+$/, '');
  }
}
