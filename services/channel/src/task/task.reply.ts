import { isFinalPicture, type TaskRecord } from '@tollgate/contracts';
import type { CreativeTask, Drawing } from '@tollgate/contracts/api/task';
import { picturePath, type SecretBox, unixSeconds } from '@tollgate/chassis';
import { shownProperties } from '@tollgate/providers';
import { taskStateOf, millisecondsOf } from './task.service.js';
import { withoutChannel } from './task-progress.js';
import type { Task } from './task.entity.js';

/** Where pictures are shown from: through this server, or directly from the upstream. */
export interface PictureAddresses {
  isForwarded: boolean;
  /** Without a trailing slash. */
  server: string;
  secrets: SecretBox;
  now: number;
}

const commonOf = (task: Task, showsChannel: boolean) => ({
  id: task.id,
  created_at: unixSeconds(task.createdAt),
  channel_id: showsChannel ? task.channelId : 0,
  user_id: task.userId,
  action: task.action,
  status: task.status,
  progress: task.progress,
  fail_reason: showsChannel ? task.failReason : withoutChannel(task.failReason),
  quota: task.quota,
  refunded: task.isRefunded,
  request_id: task.requestId,
});

function pictureOf(task: Task, { isForwarded, server, secrets, now }: PictureAddresses): string {
  if (task.imageUrl === '' || !isForwarded) return task.imageUrl;
  const picture = { task: task.id, id: task.upstreamId, isFinal: isFinalPicture(task.status) };
  return `${server}${picturePath(secrets, picture, now)}`;
}

export const toDrawing = (task: Task, showsChannel: boolean, addresses: PictureAddresses): Drawing => ({
  ...commonOf(task, showsChannel),
  code: task.code,
  mj_id: task.upstreamId,
  prompt: task.prompt,
  prompt_en: task.promptEn,
  description: task.description,
  state: task.state,
  submit_time: millisecondsOf(task.submittedAt),
  start_time: millisecondsOf(task.startedAt),
  finish_time: millisecondsOf(task.finishedAt),
  image_url: pictureOf(task, addresses),
  buttons: task.buttons,
  properties: task.properties === '' ? '' : JSON.stringify(shownProperties(task.properties)),
});

export const toCreativeTask = (task: Task, showsChannel: boolean): CreativeTask => ({
  ...commonOf(task, showsChannel),
  updated_at: unixSeconds(task.updatedAt),
  task_id: task.upstreamId,
  platform: task.platform,
  submit_time: unixSeconds(task.submittedAt),
  start_time: unixSeconds(task.startedAt),
  finish_time: unixSeconds(task.finishedAt),
  properties: { input: task.prompt },
  data: task.data === '' ? null : (JSON.parse(task.data) as unknown),
});

export const toTaskRecord = (task: Task): TaskRecord => {
  const { id, requestId, userId, channelId, platform, action, upstreamId, code, prompt } = task;
  return {
    ...taskStateOf(task),
    ...{ id, requestId, userId, channelId, platform, action, upstreamId, code, prompt },
    submittedAt: millisecondsOf(task.submittedAt),
    isOver: task.overAt !== null,
  };
};

/** The record for its user, who does not learn which channel failed. */
export const toOwnTaskRecord = (task: Task): TaskRecord => ({
  ...toTaskRecord(task),
  failReason: withoutChannel(task.failReason),
});
