import type { SeenSetting, UpdateUserSetting, UserSetting } from '@tollgate/contracts/api/user';

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

const nothing: Required<SeenSetting> = {
  notify_type: null,
  quota_warning_threshold: null,
  webhook_url: null,
  webhook_secret_set: null,
  notification_email: null,
  accept_unset_model_ratio_model: null,
};

/** A stored setting as the server is told that it was seen. */
export const seenOf = (setting: UserSetting): Required<SeenSetting> => ({ ...nothing, ...setting });

/**
 * What has to be stored for the form to replace it: all of `setting`, on which the change is made, but what the typed fields held when typing began.
 */
export function seenBy(setting: UserSetting, seen: NotifyForm, typed: Partial<NotifyForm>): SeenSetting {
  const now = formOf(setting);
  const wanted: SeenSetting = seenOf(setting);
  const differs = (name: keyof NotifyForm): boolean => name in typed && seen[name] !== now[name];
  if (differs('type')) wanted.notify_type = seen.type;
  if (differs('email')) wanted.notification_email = seen.email;
  if (differs('url')) wanted.webhook_url = seen.url;
  if (differs('threshold')) wanted.quota_warning_threshold = Number(seen.threshold);
  return wanted;
}

/** What belongs to one kind of notice says that it shall be of that kind. */
export const withKind = (typed: Partial<NotifyForm>, type: NotifyForm['type']): Partial<NotifyForm> =>
  ['email', 'url', 'secret', 'clearSecret'].some((name) => name in typed) ? { ...typed, type } : typed;

export const isHttps = (text: string): boolean => URL.canParse(text.trim()) && text.trim().startsWith('https://');
