import type { Setup } from '@tollgate/contracts/api/setup';
import { textLimits } from '@tollgate/contracts/text-limits';
import { plainName } from '@tollgate/contracts/user-name';
import type { TextProblem } from '../../components/forms/text-problem.js';
import { lengthProblem } from '../../components/forms/text-problem.js';

export type UsageMode = 'external' | 'self' | 'demo';
export const usageModes: readonly UsageMode[] = ['external', 'self', 'demo'];

export interface SetupForm {
  username: string;
  password: string;
  confirmPassword: string;
  usageMode: UsageMode;
  setupToken: string;
}
interface SetupNeeds {
  /** No administrator exists yet. */
  admin: boolean;
  /** The server requires the token that it printed, because the page is open on another machine. */
  token: boolean;
}
export type SetupProblem = TextProblem<`error.${'token' | 'username' | 'password' | 'confirm'}`>;
export type SetupErrors = Partial<Record<'setupToken' | 'username' | 'password' | 'confirmPassword', SetupProblem>>;

/** The errors of the fields, in the order of the page. */
export const setupErrors = (form: SetupForm, needs: SetupNeeds): SetupErrors => ({
  ...(needs.token && form.setupToken.trim() === '' && { setupToken: { key: 'error.token' } }),
  ...(needs.admin && adminErrors(form)),
});

function adminErrors(form: SetupForm): SetupErrors {
  const username: SetupProblem | undefined =
    form.username.trim() === ''
      ? { key: 'error.username' }
      : lengthProblem(plainName(form.username), textLimits.setupUsername);
  const length = lengthProblem(form.password, textLimits.setupPassword);
  const password: SetupProblem | undefined = length?.key === 'form.tooShort' ? { key: 'error.password' } : length;
  return {
    ...(username && { username }),
    ...(password && { password }),
    ...(form.password !== form.confirmPassword && { confirmPassword: { key: 'error.confirm' } }),
  };
}

export const toSetupRequest = (form: SetupForm): Setup => ({
  username: form.username.trim(),
  password: form.password,
  confirmPassword: form.confirmPassword,
  SelfUseModeEnabled: form.usageMode === 'self',
  DemoSiteEnabled: form.usageMode === 'demo',
  ...(form.setupToken.trim() !== '' && { setup_token: form.setupToken.trim() }),
});
