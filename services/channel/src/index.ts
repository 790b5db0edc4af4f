import { defineService } from '@tollgate/chassis';
import { ErasedUserRow } from '@tollgate/database';
import { Ability } from './ability/ability.entity.js';
import { ChannelModule } from './channel.module.js';
import { ChannelTransition } from './channel/channel-transition.entity.js';
import { sealedChannelKeys } from './channel/channel-keys.js';
import { Channel } from './channel/channel.entity.js';
import { ChannelSuspicion } from './suspicion/channel-suspicion.entity.js';
import { TestResult } from './channel/test-result.entity.js';
import { ScheduledRun } from './schedule/scheduled-run.entity.js';
import { Task } from './task/task.entity.js';
import { migrations } from './migrations/index.js';

export type { Decision } from './health/health-metrics.js';

export const channel = defineService({
  name: 'channel',
  module: ChannelModule,
  database: {
    entities: [Channel, ChannelTransition, TestResult, ChannelSuspicion, Ability, Task, ScheduledRun, ErasedUserRow],
    migrations,
    seals: [sealedChannelKeys],
  },
});
