/** In a file without the schema library, so that the console can import it cheaply. */
export const approvalKinds = ['adjustment', 'token-budget', 'refund', 'correction'] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

export const approvalStatuses = ['pending', 'approved', 'refused', 'withdrawn', 'expired'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];
