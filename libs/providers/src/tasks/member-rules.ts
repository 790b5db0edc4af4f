import type { MemberRules } from '../json/member-rules.js';
import { fold } from '../json/member-rules.js';

const DRAWING = [
  ...['prompt', 'action', 'index', 'taskId', 'customId', 'content', 'state', 'botType', 'notifyHook', 'accountFilter'],
  ...['base64', 'base64Array', 'sourceBase64', 'targetBase64', 'maskBase64', 'dimensions'],
];
const SONG = [
  ...['prompt', 'gpt_description_prompt', 'title', 'tags', 'mv', 'continue_clip_id', 'task_id', 'notify_hook'],
];

const documented = new Set([...DRAWING, ...SONG]);

/**
 * The counterpart of `requestMembers` for submissions of drawings and songs. A proxy that ignores case would otherwise
 * do another action than the one that is charged, continue another task than the caller's own, or read a text that was
 * not checked.
 */
export const taskMemberRules: MemberRules = {
  guarded: new Set([...documented].map(fold)),
  spoken: new Set(),
  parts: new Set(),
  free: new Set(),
  fold,
  isDocumented: (name) => documented.has(name),
};
