import type { Setup } from '@tollgate/contracts/api/setup';

export type UsageMode = 'external' | 'self' | 'demo';
export const usageModes: readonly UsageMode[] = ['external', 'self', 'demo'];

export interface SetupForm {
  username: string;
  password: string;
  confirmPassword: string;
  usageMode: UsageMode;
}
export type SetupErrors = Partial<Record<'username' | 'password' | 'confirmPassword', string>>;

const MIN_PASSWORD = 8;

/** Keys of the texts beside the fields; the administrator's fields count only while there is none. */
export function setupErrors(form: SetupForm, needsAdmin: boolean): SetupErrors {
  if (!needsAdmin) return {};
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
});
