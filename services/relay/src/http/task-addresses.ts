import { Injectable } from '@nestjs/common';
import { Clock, Host, OptionStore, picturePath, pictureTask, SecretBox, ownAddress } from '@tollgate/chassis';
import { isFinalPicture, type TaskRecord } from '@tollgate/contracts';
import { z } from 'zod';

const CALLBACK = 'task-callback';
const callbackSchema = z.object({ channelId: z.int().positive(), requestId: z.uuid() });

export type CallbackTask = z.infer<typeof callbackSchema>;

/** Builds and verifies our signed addresses: pictures for users, callbacks for upstreams. */
@Injectable()
export class TaskAddresses {
  constructor(
    private readonly secrets: SecretBox,
    private readonly options: OptionStore,
    private readonly host: Host,
    private readonly clock: Clock,
  ) {}

  /** The address at which users see the picture of a drawing; empty while there is none. */
  picture({ id, upstreamId, imageUrl, status }: TaskRecord): string {
    if (imageUrl === '' || !this.options.get('MjForwardUrlEnabled')) return imageUrl;
    const picture = { task: id, id: upstreamId, isFinal: isFinalPicture(status) };
    return `${this.server}${picturePath(this.secrets, picture, this.clock.now())}`;
  }

  /** The task of a picture's address; `undefined` when the signature is invalid or expired. */
  pictureTask(id: string, sign: string): number | undefined {
    return pictureTask(this.secrets, { id, sign }, this.clock.now());
  }

  /** The address for callbacks of an upstream. It is valid for the one task of this request only. */
  callback(task: CallbackTask): string {
    return `${this.server}/mj/notify?sign=${this.secrets.sign(CALLBACK, task)}`;
  }

  /** The task of a callback address; `undefined` when the signature is invalid. */
  callbackTask(sign: string): CallbackTask | undefined {
    return callbackSchema.safeParse(this.secrets.verify(CALLBACK, sign)).data;
  }

  private get server(): string {
    return ownAddress(this.options, this.host);
  }
}
