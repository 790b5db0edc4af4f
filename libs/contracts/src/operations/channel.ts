import { z } from 'zod';
import {
  builtInModelSchema,
  channelBalanceReplySchema,
  channelCountsSchema,
  channelKeySchema,
  channelSchema,
  channelTestReplySchema,
  channelTestRowSchema,
  demonstrationSchema,
  fetchModelsSchema,
  modelsByTypeSchema,
} from '../api/channel.js';
import { channelHealthSchema, whySchema } from '../api/channel-health.js';
import { drawingSchema, taskSchema } from '../api/task.js';
import type { channelRoutes } from '../routes/channel.js';
import { type OperationDocument, totalCount } from './define-operations.js';

const names = z.array(z.string());
const channels = z.array(channelSchema);

export const channelOperations = {
  listChannels: { summary: 'Channels, by page.', data: channels, headers: totalCount },
  searchChannels: {
    summary: 'Channels that match: by page if a page or size is sent, else all up to 1000.',
    data: channels,
    headers: totalCount,
  },
  countChannels: { summary: 'How many channels there are, by status.', data: channelCountsSchema },
  getChannel: { summary: 'One channel, without its key.', data: channelSchema },
  getDemonstration: {
    summary: 'Whether there is a provider for demonstrations, and its channel.',
    data: demonstrationSchema,
  },
  createDemonstration: { summary: 'Make the channel for demonstrations, once.', data: demonstrationSchema },
  whyChannels: {
    summary: 'Which channels a request could go to, and why the others are left out.',
    data: whySchema,
  },
  getChannelHealth: {
    summary: 'What happened to a channel: changes of its state with their evidence, tests, and how requests went.',
    data: channelHealthSchema,
  },
  listChannelKeys: {
    summary: 'The keys of a channel that has several, with their states.',
    data: z.array(channelKeySchema),
  },
  switchChannelKey: {
    summary: 'Switches one of several keys on or off.',
    data: z.array(channelKeySchema),
  },
  createChannel: {
    summary: 'Create a channel per line of the key, or a copy with the keys of its original.',
    data: z.object({ ids: z.array(z.int()) }),
  },
  updateChannel: { summary: 'Change a channel; an empty key keeps the stored one.', data: channelSchema },
  deleteDisabledChannels: { summary: 'Delete all disabled channels; answers how many.', data: z.int() },
  deleteChannel: { summary: 'Delete a channel.' },
  deleteChannels: { summary: 'Delete several channels; answers how many.', data: z.int() },
  fixAbilities: { summary: 'Write the routing table anew; answers how many channels.', data: z.int() },
  tagChannels: { summary: 'Put channels under a tag; answers how many.', data: z.int() },
  updateTag: { summary: 'Change all channels of a tag.' },
  enableTag: { summary: 'Enable all channels of a tag.' },
  disableTag: { summary: 'Disable all channels of a tag.' },
  fetchChannelModels: { summary: 'Models the upstream of a stored channel lists.', data: names },
  fetchModels: {
    summary: 'Models an upstream lists for a key that is not stored.',
    body: fetchModelsSchema,
    data: names,
  },
  testChannels: { summary: 'Begin a test of all channels.' },
  testChannel: { summary: 'Test one channel.', reply: channelTestReplySchema },
  testSomeChannels: {
    summary: 'Test several channels; answers when all are done.',
    data: z.array(channelTestRowSchema),
  },
  updateBalances: { summary: 'Ask all upstreams for their balance.' },
  updateBalance: { summary: 'Ask one upstream for its balance.', reply: channelBalanceReplySchema },
  listChannelModels: { summary: 'All models that channels know by themselves.', data: z.array(builtInModelSchema) },
  listEnabledModels: { summary: 'Models with an enabled channel.', data: names },

  listDrawings: { summary: 'Drawings of everybody, newest first.', data: z.array(drawingSchema), headers: totalCount },
  listOwnDrawings: {
    summary: "The caller's drawings, newest first.",
    data: z.array(drawingSchema),
    headers: totalCount,
  },
  listTasks: { summary: 'Creative tasks of everybody, newest first.', data: z.array(taskSchema), headers: totalCount },
  listOwnTasks: {
    summary: "The caller's creative tasks, newest first.",
    data: z.array(taskSchema),
    headers: totalCount,
  },

  listModelsByType: { summary: 'Models that channels know by themselves, by channel type.', data: modelsByTypeSchema },
  listUserModels: { summary: 'Models the caller may use.', data: names },
} as const satisfies Record<keyof typeof channelRoutes, OperationDocument>;
