import { z } from 'zod';
import { pageFromOneSchema } from '../envelope.js';
import { textLimits } from '../text-limits.js';
import { approvalKinds, approvalStatuses } from './approval-kinds.js';
import { hasNoNul, wordFilter } from './fields.js';

export { type ApprovalKind, type ApprovalStatus } from './approval-kinds.js';

const wrong = '参数错误';

/** What one administrator requested and another one has to approve. Times are Unix seconds. */
export const approvalSchema = z.object({
  id: z.int(),
  kind: z.enum(approvalKinds),
  status: z.enum(approvalStatuses),
  /** The user whose wallet changes; 0 for several users, which a correction run lists. */
  user_id: z.int(),
  /** 0 if no token is concerned. */
  token_id: z.int(),
  /** Units to move: positive towards the user. */
  change: z.int(),
  /** Order number or other name of the subject; may be empty. */
  subject: z.string(),
  reason: z.string(),
  requester_id: z.int(),
  created_time: z.int(),
  expire_time: z.int(),
  /** 0 while undecided, or if the approval expired. */
  decider_id: z.int(),
  decided_time: z.int(),
  note: z.string(),
});
export type Approval = z.infer<typeof approvalSchema>;

export const approvalQuerySchema = z
  .object({
    status: wordFilter(approvalStatuses, wrong),
    kind: wordFilter(approvalKinds, wrong),
  })
  .and(pageFromOneSchema);
export type ApprovalQuery = z.output<typeof approvalQuerySchema>;

const note = (missing: string) =>
  z
    .string(missing)
    .trim()
    .max(textLimits.reason.most, `原因最多 ${textLimits.reason.most} 个字符`)
    .refine(hasNoNul, wrong);

export const approveSchema = z.preprocess((value) => value ?? {}, z.object({ note: note(wrong).default('') }));
const noReason = '请填写拒绝原因';
/** A refusal requires a reason. */
export const refuseApprovalSchema = z.object({ note: note(noReason).min(1, noReason) });

/** Number of pending approvals, and how many of them the caller may decide. */
export const pendingApprovalsSchema = z.object({ count: z.int(), for_me: z.int() });
export type PendingApprovals = z.infer<typeof pendingApprovalsSchema>;

/** One charge that a correction run changes, in units. */
export const correctionRowSchema = z.object({
  request_id: z.string(),
  user_id: z.int(),
  token_id: z.int(),
  model: z.string(),
  group: z.string(),
  channel_id: z.int(),
  /** The charge when the run was created, and the new charge. */
  charged: z.int(),
  rerated: z.int(),
});
export type CorrectionRowReply = z.infer<typeof correctionRowSchema>;

export const correctionSumSchema = z.object({
  /** Id of a user or channel, or name of a model. */
  key: z.string(),
  requests: z.int(),
  charged: z.int(),
  rerated: z.int(),
});
export type CorrectionSum = z.infer<typeof correctionSumSchema>;

/** What a correction run would post: sums with the largest changes first, and its first rows. */
export const correctionRunSchema = z.object({
  /** Hex SHA-256 over all rows. The approved digest determines what is posted. */
  digest: z.string(),
  requests: z.int(),
  users: z.int(),
  charged: z.int(),
  rerated: z.int(),
  by_user: z.array(correctionSumSchema),
  by_model: z.array(correctionSumSchema),
  by_channel: z.array(correctionSumSchema),
  rows: z.array(correctionRowSchema),
});
export type CorrectionRun = z.infer<typeof correctionRunSchema>;
