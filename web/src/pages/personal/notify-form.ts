import type { UpdateUserSetting, UserSetting } from '@tollgate/contracts/api/user';

/** What the notification card edits: texts as typed. */
export interface NotifyForm {
  type: 'email' | 'webhook';
  email: string;
  url: string;
  /** Only what is typed now; a stored one is never sent here. */
  secret: string;
  /** The stored secret is to be removed. */
  clearSecret: boolean;
  threshold: string;
}

export const thresholdPresets = [100_000, 500_000, 1_000_000, 5_000_000];
const FALLBACK_THRESHOLD = 500_000;
const NEW_THRESHOLD = 100_000;

/** The JSON inside the user; unreadable text is no setting. */
export function settingOf(text: string): UserSetting {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as UserSetting) : {};
  } catch {
    return {};
  }
}

/** Who never saved starts with the smallest preset; a stored setting without a threshold stands for the documented one. */
export function formOf(setting: UserSetting): NotifyForm {
  const { notify_type: type = 'email', notification_email: email = '', webhook_url: url = '' } = setting;
  const threshold = setting.quota_warning_threshold ?? (setting.notify_type ? FALLBACK_THRESHOLD : NEW_THRESHOLD);
  return { type, email, url, secret: '', clearSecret: false, threshold: String(threshold) };
}

/** The call replaces the setting as a whole, so what another card edits goes along as it is stored. */
export function toSetting(form: NotifyForm, acceptUnset: boolean): UpdateUserSetting {
  const shared = {
    notify_type: form.type,
    quota_warning_threshold: Number(form.threshold),
    accept_unset_model_ratio_model: acceptUnset,
  };
  if (form.type === 'email') return { ...shared, notification_email: form.email.trim() };
  const secret = form.secret !== '' ? { webhook_secret: form.secret } : form.clearSecret ? { webhook_secret: '' } : {};
  return { ...shared, webhook_url: form.url.trim(), ...secret };
}

/** What is stored, with the one switch of the price card. */
export const withAcceptUnset = (setting: UserSetting, acceptUnset: boolean): UpdateUserSetting =>
  toSetting(formOf(setting), acceptUnset);

export const isHttps = (text: string): boolean => URL.canParse(text.trim()) && text.trim().startsWith('https://');
