import type { Setup } from '@tollgate/contracts/api/setup';

export type UsageMode = 'external' | 'self' | 'demo';
export const usageModes: readonly UsageMode[] = ['external', 'self', 'demo'];

export interface SetupForm {
  username: string;
  password: string;
  confirmPassword: string;
  usageMode: UsageMode;
  setupToken: string;
}
export interface SetupNeeds {
  /** There is no administrator yet. */
  admin: boolean;
  /** The server wants the token that it printed, because the page is open on another machine. */
  token: boolean;
}
export type SetupErrors = Partial<Record<'setupToken' | 'username' | 'password' | 'confirmPassword', string>>;

const MIN_PASSWORD = 8;

/** Keys of the texts beside the fields, in the order of the page. */
export const setupErrors = (form: SetupForm, needs: SetupNeeds): SetupErrors => ({
  ...(needs.token && form.setupToken.trim() === '' && { setupToken: 'error.token' }),
  ...(needs.admin && adminErrors(form)),
});

function adminErrors(form: SetupForm): SetupErrors {
  return {
    ...(form.username.trim() === '' && { username: 'error.username' }),
    ...(form.password.length < MIN_PASSWORD && { password: 'error.password' }),
    ...(form.password !== form.confirmPassword && { confirmPassword: 'error.confirm' }),
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
