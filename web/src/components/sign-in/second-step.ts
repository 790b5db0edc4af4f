import type { SecondStep } from '@tollgate/contracts/api/second-factor';
import type { SignedIn } from '../../api/session.api.js';

export type { SignedIn };

export const isSecondStep = (reply: SignedIn): reply is SecondStep => 'require_2fa' in reply;

/** The page for the second factor; a cookie identifies the sign-in. */
export const SECOND_STEP_PATH = '/login?step=2fa';
