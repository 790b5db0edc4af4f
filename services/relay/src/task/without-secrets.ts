import type { RoutedChannel } from '@tollgate/contracts';
import { contentMask, maskedItem, maskedReply } from '@tollgate/providers';
import { secretsOfChannel } from '../upstream/channel-target.js';
import type { TaskAnswer } from './task-answers.js';

/** Masks the channel's secrets in a refusal, which is passed on to the client and may repeat our key or its address. */
export const withoutSecrets = (bytes: Buffer, channel: RoutedChannel): Buffer =>
  Buffer.from(contentMask(secretsOfChannel(channel))(bytes.toString('utf8')));

/** Masks the channel's secrets in an accepted answer, which is passed on to the client and is kept as the task's news. */
export function maskedAnswer(answer: TaskAnswer, channel: RoutedChannel): TaskAnswer {
  const { upstreamId, ...news } = maskedItem({ upstreamId: answer.upstreamId, ...answer.news }, channel);
  return { ...answer, upstreamId, news, ...(answer.body && { body: maskedReply(answer.body, channel) }) };
}
