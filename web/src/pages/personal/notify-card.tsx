import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import FormLabel from '@mui/material/FormLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { UserSetting } from '@tollgate/contracts/api/user';
import { MOST_NOTICE_ADDRESSES, textLimits } from '@tollgate/contracts/text-limits';
import type { Control } from 'react-hook-form';
import { useController, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Callout } from '../../components/feedback/callout.js';
import { FormText } from '../../components/forms/form-fields.js';
import { PasswordField } from '../../components/forms/password-field.js';
import { QuotaField } from '../../components/money/quota-field.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { lengthProblem } from '../../components/forms/text-problem.js';
import type { NotifyForm } from './notify-form.js';
import { formOf, isHttps, seenBy, thresholdPresets, toSetting, withKind } from './notify-form.js';
import { useConflict } from '../../components/forms/use-conflict.js';
import { useEditForm } from '../../components/forms/use-edit-form.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { useSaveSetting } from './use-save-setting.js';
import type { DirtyReport } from './setting-form.js';
import { SettingForm, useNothingChanged, useReport } from './setting-form.js';

const names = {
  ...({ notify_type: 'type', quota_warning_threshold: 'threshold', notification_email: 'email' } as const),
  ...({ webhook_url: 'url', webhook_secret: 'secret' } as const),
};

type Bound = { control: Control<NotifyForm> };

function TypeChoice({ control }: Bound) {
  const { t } = useTranslation('personal');
  const { field, fieldState } = useController({ control, name: 'type' });
  return (
    <div>
      <FormLabel id="notify-type" sx={{ typography: 'body2' }}>
        {t('notify.type')}
      </FormLabel>
      <RadioGroup row aria-labelledby="notify-type" value={field.value} onChange={field.onChange}>
        <FormControlLabel value="email" control={<Radio />} label={t('notify.byEmail')} />
        <FormControlLabel value="webhook" control={<Radio />} label={t('notify.byWebhook')} />
      </RadioGroup>
      {fieldState.error && <FormHelperText error>{fieldState.error.message}</FormHelperText>}
    </div>
  );
}

/** What becomes of the stored secret when the form is saved. */
function SecretState({ control, stored, typed }: Bound & { stored: UserSetting; typed: boolean }) {
  const { t } = useTranslation('personal');
  const { field: clear } = useController({ control, name: 'clearSecret' });
  const url = useWatch({ control, name: 'url' });
  const isSet = stored.webhook_secret_set === true;
  const moved = url.trim() !== stored.webhook_url;
  const clearing = isSet && !typed && (moved || clear.value);
  const removal = moved ? 'notify.secretMoved' : 'notify.clearing';
  return (
    <Stack direction="row" spacing={1} sx={{ alignItems: 'center', minHeight: 24, ml: 1.5 }}>
      <Typography variant="caption" role="status" sx={{ color: clearing ? 'warning.main' : 'text.tertiary' }}>
        {t(clearing ? removal : isSet ? 'form.secretSet' : 'form.secretUnset')}
      </Typography>
      {isSet && !typed && !moved && (
        <Button size="small" sx={{ minHeight: 24, py: 0 }} onClick={() => clear.onChange(!clear.value)}>
          {t(clearing ? 'action.undo' : 'action.clear')}
        </Button>
      )}
    </Stack>
  );
}

/**
 * A typed secret replaces the stored one. An empty field keeps it, but not for another address. Removing it has a button
 * of its own.
 */
function SecretInput({ control, stored }: Bound & { stored: UserSetting }) {
  const { t } = useTranslation('personal');
  const tooLong = (text: string): string | undefined => {
    const problem = lengthProblem(text, textLimits.webhookSecret);
    return problem && t(problem.key, { ...problem.params });
  };
  const rules = { validate: (text: string) => tooLong(text) ?? true };
  const { field, fieldState } = useController({ control, name: 'secret', rules });
  return (
    <div>
      <PasswordField
        label={t('notify.secret')}
        name="secret"
        value={field.value}
        onChange={field.onChange}
        inputRef={field.ref}
        placeholder={t('form.secretHint')}
        autoComplete="new-password"
        error={Boolean(fieldState.error)}
        helperText={fieldState.error?.message || t('notify.secretHint')}
      />
      <SecretState control={control} stored={stored} typed={field.value !== ''} />
    </div>
  );
}

function useSample(): string {
  const { t } = useTranslation('personal');
  const scale = useQuotaScale();
  const value = formatQuota(200_000, scale);
  return JSON.stringify(
    {
      type: 'quota_exceed',
      title: t('notify.sample.title'),
      content: t('notify.sample.content', { value: '{{value}}' }),
      values: [value],
      timestamp: 1_739_950_503,
    },
    undefined,
    2,
  );
}

function Structure() {
  const { t } = useTranslation('personal');
  const sample = useSample();
  return (
    <Box component="details" sx={{ typography: 'body2' }}>
      <Box component="summary" sx={{ cursor: 'pointer', minHeight: 24, color: 'primary.main' }}>
        {t('notify.structure')}
      </Box>
      <Box
        component="pre"
        tabIndex={0}
        sx={{
          typography: 'mono',
          m: 0,
          mt: 0.5,
          p: 1.5,
          borderRadius: '6px',
          bgcolor: 'background.sunken',
          overflowX: 'auto',
        }}
      >
        {sample}
      </Box>
    </Box>
  );
}

function WebhookFields({ control, stored }: Bound & { stored: UserSetting }) {
  const { t } = useTranslation('personal');
  const check = (text: string) => {
    if (text.trim() === '') return t('notify.noUrl');
    return isHttps(text) ? undefined : t('notify.badUrl');
  };
  return (
    <>
      <FormText
        control={control}
        name="url"
        label={t('notify.url')}
        placeholder={t('notify.urlPlaceholder')}
        helperText={t('notify.urlHint')}
        check={check}
        limit={textLimits.webhookUrl}
        inputMode="url"
        spellCheck={false}
      />
      <SecretInput control={control} stored={stored} />
      <Structure />
    </>
  );
}

function EmailFields({ control, loses }: Bound & { loses: boolean }) {
  const { t } = useTranslation('personal');
  const check = (text: string) => {
    if (text.trim() === '') return undefined;
    const addresses = text.split(';');
    if (addresses.length > MOST_NOTICE_ADDRESSES) return t('notify.manyEmails', { most: MOST_NOTICE_ADDRESSES });
    return addresses.every((address) => address.includes('@')) ? undefined : t('notify.badEmail');
  };
  return (
    <>
      {loses && <Callout severity="warning">{t('notify.secretLeaves')}</Callout>}
      <FormText
        control={control}
        name="email"
        label={t('notify.email')}
        helperText={t('notify.emailHint', { most: MOST_NOTICE_ADDRESSES })}
        check={check}
        limit={textLimits.notificationEmail}
        inputMode="email"
        autoComplete="email"
      />
    </>
  );
}

/** A component of its own, because `useWatch` misses what the form's own component fills in as it appears. */
function KindFields({ control, stored }: Bound & { stored: UserSetting }) {
  const type = useWatch({ control, name: 'type' });
  if (type === 'webhook') return <WebhookFields control={control} stored={stored} />;
  return <EmailFields control={control} loses={stored.webhook_secret_set === true} />;
}

const blank = formOf({});

/** The form with the stored setting, and its submit. */
function useNotifyForm(setting: UserSetting) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const nothingChanged = useNothingChanged();
  const { save, query, isLoading, error, forget } = useSaveSetting(setting);
  const edit = useEditForm({ query, blank, formOf, secrets: ['secret'], id: 'notify' });
  const refusal = useRefusedFields(edit.form, error, names);
  const submit = edit.form.handleSubmit(async (form) => {
    const [typed, seen] = [withKind(edit.typed(), form.type), edit.seen()];
    if (Object.keys(typed).length === 0 && setting.notify_type !== undefined) {
      nothingChanged();
      return;
    }
    const refusal = await save({
      over: (stored) => toSetting({ ...formOf(stored), ...typed }, stored.accept_unset_model_ratio_model ?? false),
      seen: (stored) => seenBy(stored, seen, typed),
    });
    if (refusal) {
      dispatch(toastShown({ severity: 'error', key: 'personal:notify.failed' }));
      await conflict.look(refusal);
      return;
    }
    // Clears a typed secret from the form.
    edit.saved(form, (await edit.fresh()).form ?? { ...form, secret: '', clearSecret: false });
    dispatch(toastShown({ severity: 'success', key: 'personal:notify.saved' }));
  });
  const labels = {
    type: t('notify.type'),
    email: t('notify.email'),
    url: t('notify.url'),
    threshold: t('notify.threshold'),
  };
  const conflict = useConflict({ edit, labels, error, reset: forget, submit });
  const undo = () => (edit.show(formOf(setting)), forget());
  return { form: edit.form, isLoading, refusal, conflict: conflict.notice, submit, undo };
}

/** How and at which balance the user is notified that the balance runs low. */
export function NotifyCard({ setting, onDirty }: { setting: UserSetting } & DirtyReport) {
  const { t } = useTranslation('personal');
  const { form, isLoading, refusal, conflict, submit, undo } = useNotifyForm(setting);
  const { control, formState } = form;
  useReport('notify', formState.isDirty, onDirty);
  return (
    <SettingForm
      title={t('notify.title')}
      dirty={formState.isDirty}
      busy={isLoading}
      error={refusal}
      conflict={conflict}
      onSubmit={submit}
      onReset={undo}
    >
      <Typography variant="body2" sx={{ color: 'text.secondary' }}>
        {t('notify.intro')}
      </Typography>
      <TypeChoice control={control} />
      <KindFields control={control} stored={setting} />
      <QuotaField
        control={control}
        name="threshold"
        label={t('notify.threshold')}
        presets={thresholdPresets}
        min={1}
        invalid={t('notify.badThreshold')}
      />
    </SettingForm>
  );
}
