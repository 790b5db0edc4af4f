import type { SeenSetting, UpdateUserSetting, UserSetting } from '@tollgate/contracts/api/user';

/** The form of the notification card: texts as typed. */
export interface NotifyForm {
  type: 'email' | 'webhook';
  email: string;
  url: string;
  /** A newly typed secret; the server never sends the stored one. */
  secret: string;
  /** Remove the stored secret. */
  clearSecret: boolean;
  threshold: string;
}

export const thresholdPresets = [100_000, 500_000, 1_000_000, 5_000_000];
const FALLBACK_THRESHOLD = 500_000;
const NEW_THRESHOLD = 100_000;

/**
 * A user who never saved a setting starts with the smallest preset. A stored setting without a threshold gets the
 * documented default of the API.
 */
export function formOf(setting: UserSetting): NotifyForm {
  const { notify_type: type = 'email', notification_email: email = '', webhook_url: url = '' } = setting;
  const threshold = setting.quota_warning_threshold ?? (setting.notify_type ? FALLBACK_THRESHOLD : NEW_THRESHOLD);
  return { type, email, url, secret: '', clearSecret: false, threshold: String(threshold) };
}

/** The request, which replaces the whole setting. `acceptUnset` belongs to the price card and is sent as stored. */
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

/** The stored setting with the switch of the price card changed. */
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

/** The stored setting with `null` for missing fields, as the server expects the seen state. */
export const seenOf = (setting: UserSetting): Required<SeenSetting> => ({ ...nothing, ...setting });

/**
 * The state that must be stored for the server to accept the change. It is the current setting, except for the edited
 * fields: those must still have the values that they had when editing began.
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

/** Adds the type to a change of fields that only have a meaning with that type. */
export const withKind = (typed: Partial<NotifyForm>, type: NotifyForm['type']): Partial<NotifyForm> =>
  ['email', 'url', 'secret', 'clearSecret'].some((name) => name in typed) ? { ...typed, type } : typed;

export const isHttps = (text: string): boolean => URL.canParse(text.trim()) && text.trim().startsWith('https://');
