import type { ProofStep } from '@tollgate/contracts/api/proof';
import type { Approval } from '../approval/approval.entity.js';
import { runOf } from '../correction/correction-names.js';
import { House } from '../journal/journal.service.js';
import { units } from '../units.js';
import type { CorrectionTerms, Evidence, EvidenceQueries } from './evidence.queries.js';
import { step } from './steps.js';

/** The approval by another administrator, if the movement needed one. A correction always does. */
export async function agreementSteps(queries: EvidenceQueries, row: Evidence): Promise<ProofStep[]> {
  const approval = await queries.approvalOf(row);
  if (row.code !== 'correction') return approval ? [approvalStep(approval)] : [];
  if (!approval)
    return [step({ link: 'approval', state: 'missing', time: 0 }, { approval_id: runOf(row.reason)?.approvalId })];
  const terms = await queries.termsOf(approval.id, row);
  return [approvalStep(approval, { isSo: isOfRun(row, approval, terms), ...terms })];
}

/** Whether the posting matches the correction run: the amount, the requester, and the approver that the row names. */
function isOfRun(row: Evidence, approval: Approval, terms: CorrectionTerms | undefined): boolean {
  const change = row.debit === House.revenue ? -units(row.amount) : units(row.amount);
  return (
    terms !== undefined &&
    terms.rerated - terms.charged === change &&
    approval.requesterId === row.actor_id &&
    approval.deciderId === runOf(row.reason)?.approvedBy
  );
}

function approvalStep(
  approval: Approval,
  { isSo = true, charged, rerated }: Partial<CorrectionTerms> & { isSo?: boolean } = {},
): ProofStep {
  return step(
    {
      link: 'approval',
      state: isSo && approval.status === 'approved' ? 'done' : 'differs',
      time: approval.decidedAt?.getTime() ?? 0,
    },
    {
      approval_id: approval.id,
      status: approval.status,
      requester_id: approval.requesterId,
      decider_id: approval.deciderId,
      // For a run, the approval's `change` is that of all its requests together, so the request's own amounts are
      // shown.
      ...(charged === undefined ? { change: approval.change } : { charged, quota: rerated }),
    },
  );
}
