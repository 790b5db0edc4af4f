import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { Token } from '@tollgate/contracts/api/token';
import { useEffect } from 'react';
import { textLimits } from '@tollgate/contracts/text-limits';
import type { Control, UseFormSetValue } from 'react-hook-form';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useListOwnGroupsQuery, useListUserModelsQuery } from '../../api/catalogue.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { ExpiryText } from '../../components/forms/expiry-text.js';
import { FormSelect, FormSwitch, FormText } from '../../components/forms/form-fields.js';
import { FormList } from '../../components/forms/form-list.js';
import { QuotaField } from '../../components/money/quota-field.js';
import { SideDrawer } from '../../components/overlays/side-drawer.js';
import { formatTime, zoneName } from '../../components/basics/time-format.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { useEditForm } from '../../components/forms/use-edit-form.js';
import { useEditSave } from '../../components/forms/use-edit-save.js';
import { UnsureNote } from '../../components/forms/unsure-note.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import type { TokenForm } from './token-form.js';
import { MAX_COUNT, badAddress, countPresets, formOf, newToken, quotaPresets, toUpdate } from './token-form.js';
import { useGetTokenQuery, useUpdateTokenMutation } from '../../api/token.api.js';
import { useCreateTokens } from './use-create-tokens.js';
import { Callout } from '../../components/feedback/callout.js';

const names = {
  ...({ expired_time: 'expiry', remain_quota: 'quota', unlimited_quota: 'unlimited', allow_ips: 'ips' } as const),
  ...({ model_limits: 'models', model_limits_enabled: 'limitModels' } as const),
};

interface FieldsProps {
  control: Control<TokenForm>;
  setValue: UseFormSetValue<TokenForm>;
}

const expiries = [
  ['never', undefined],
  ['hour', 3600],
  ['month', 30 * 86_400],
  ['day', 86_400],
] as const;

function ExpiryField({ control, setValue }: FieldsProps) {
  const { t } = useTranslation('token');
  const set = (seconds: number | undefined) =>
    setValue('expiry', seconds === undefined ? '' : formatTime(Math.floor(Date.now() / 1000) + seconds), {
      shouldDirty: true,
      shouldValidate: true,
    });
  return (
    <div>
      <ExpiryText
        control={control}
        name="expiry"
        label={t('form.expiry')}
        hint={t('form.expiryHint', { zone: zoneName() })}
        invalid={t('form.badExpiry')}
      />
      <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 0.5, mt: 0.5 }}>
        {expiries.map(([key, seconds]) => (
          <Button
            key={key}
            size="small"
            variant="outlined"
            sx={{ minHeight: 24, px: 1, py: 0 }}
            onClick={() => set(seconds)}
          >
            {t(`form.expiries.${key}`)}
          </Button>
        ))}
      </Stack>
    </div>
  );
}

function CountField({ control, setValue }: FieldsProps) {
  const { t } = useTranslation('token');
  const check = (text: string) =>
    /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_COUNT
      ? undefined
      : t('form.badCount', { max: MAX_COUNT });
  return (
    <div>
      <FormText control={control} name="count" label={t('form.count')} check={check} inputMode="numeric" />
      <Stack direction="row" sx={{ flexWrap: 'wrap', gap: 0.5, mt: 0.5 }}>
        {countPresets.map((count) => (
          <Button
            key={count}
            size="small"
            variant="outlined"
            sx={{ minHeight: 24, px: 1, py: 0 }}
            onClick={() => setValue('count', String(count), { shouldDirty: true })}
          >
            {t('form.countOf', { count })}
          </Button>
        ))}
      </Stack>
    </div>
  );
}

function LimitFields({ control }: { control: Control<TokenForm> }) {
  const { t } = useTranslation('token');
  const limited = useWatch({ control, name: 'limitModels' });
  const { data: models = [] } = useListUserModelsQuery();
  const { data: groups } = useListOwnGroupsQuery();
  const names = Object.entries(groups ?? {});
  const checkIps = (text: string) => {
    const bad = badAddress(text);
    return bad === undefined ? undefined : t('form.badIp', { line: bad });
  };
  return (
    <>
      <FormText
        control={control}
        name="ips"
        label={t('form.ips')}
        multiline
        rows={2}
        check={checkIps}
        limit={textLimits.allowedAddresses}
        helperText={t('form.ipsHint')}
        spellCheck={false}
      />
      <FormSwitch control={control} name="limitModels" label={t('form.limitModels')} />
      <FormList
        control={control}
        name="models"
        label={t('form.models')}
        options={models}
        denied={limited ? undefined : t('form.modelsOff')}
        helperText={t('form.modelsHint')}
      />
      <FormSelect
        control={control}
        name="group"
        label={t('form.group')}
        denied={groups && names.length === 0 ? t('form.noGroups') : undefined}
        options={[
          { value: '', label: t('group.own') },
          ...names.map(([name, { desc, ratio }]) => ({
            value: name,
            label: `${name} · ${desc} · ${t('form.ratio', { ratio })}`,
          })),
        ]}
      />
    </>
  );
}

function Fields({ control, setValue, creating }: FieldsProps & { creating: boolean }) {
  const { t } = useTranslation('token');
  const unlimited = useWatch({ control, name: 'unlimited' });
  const checkName = (name: string) => (name.trim() === '' ? t('form.noName') : undefined);
  return (
    <>
      <FormText
        control={control}
        name="name"
        label={t('form.name')}
        check={checkName}
        limit={textLimits.tokenName}
        autoFocus={creating}
        autoComplete="off"
      />
      <ExpiryField control={control} setValue={setValue} />
      <Callout severity="info">{t('form.quotaBanner')}</Callout>
      <QuotaField
        control={control}
        name="quota"
        label={t('form.quota')}
        presets={quotaPresets}
        invalid={t('form.badQuota')}
        unlimited={unlimited}
      />
      {creating && <CountField control={control} setValue={setValue} />}
      <div>
        <Button variant="outlined" onClick={() => setValue('unlimited', !unlimited, { shouldDirty: true })}>
          {t(unlimited ? 'form.limit' : 'form.unlimit')}
        </Button>
      </div>
      <LimitFields control={control} />
    </>
  );
}

function CreateDrawer({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const { t } = useTranslation('token');
  const { data: groups } = useListOwnGroupsQuery();
  const form = useForm<TokenForm>({ defaultValues: newToken(t('form.defaultName'), '') });
  const { control, setValue, getFieldState, handleSubmit, formState } = form;
  const { create, busy, error } = useCreateTokens();
  const { unsure } = useDraft(form, { failure: error });
  const refusal = useRefusedFields(form, error, names);
  const hasDefault = groups !== undefined && 'default' in groups;
  useEffect(() => {
    if (hasDefault && !getFieldState('group').isDirty) setValue('group', 'default');
  }, [hasDefault, setValue, getFieldState]);
  const submit = handleSubmit((form) => create(form, onCreated));
  return (
    <SideDrawer
      title={t('create')}
      onClose={onClose}
      onSubmit={submit}
      dirty={formState.isDirty}
      busy={busy}
      error={refusal}
    >
      <UnsureNote unsure={unsure} list="/token" />
      <Fields control={control} setValue={setValue} creating />
    </SideDrawer>
  );
}

type TokenEdit = ReturnType<typeof useEditForm<Token, TokenForm>>;

function useSave(id: number, edit: TokenEdit, onSaved: (id: number) => void) {
  const { t } = useTranslation('token');
  const dispatch = useAppDispatch();
  const [update, state] = useUpdateTokenMutation();
  const labels = {
    ...{ name: t('form.name'), expiry: t('form.expiry'), quota: t('form.quota'), unlimited: t('quota.unlimited') },
    ...{ ips: t('form.ips'), limitModels: t('form.limitModels'), models: t('form.models'), group: t('form.group') },
  };
  return useEditSave({
    ...{ edit, update, state, labels, names },
    changeOf: (form, seen) => toUpdate(form, seen, id),
    onSaved: () => {
      dispatch(toastShown({ severity: 'success', key: 'token:updated' }));
      onSaved(id);
    },
  });
}

function EditDrawer({ id, onClose, onSaved }: { id: number; onClose: () => void; onSaved: (id: number) => void }) {
  const { t } = useTranslation('token');
  const query = useGetTokenQuery(id, { refetchOnMountOrArgChange: true });
  const { data: token } = query;
  const edit = useEditForm<Token, TokenForm>({ query, blank: newToken('', ''), formOf });
  const { control, setValue } = edit.form;
  const drawer = useSave(id, edit, onSaved);
  return (
    <SideDrawer title={token ? t('edit', { name: token.name }) : t('editUnknown')} onClose={onClose} {...drawer}>
      <Fields control={control} setValue={setValue} creating={false} />
    </SideDrawer>
  );
}

interface TokenDrawerProps {
  /** `undefined` for a new token. */
  id?: number;
  onClose: () => void;
  onCreated: () => void;
  onSaved: (id: number) => void;
}

export function TokenDrawer({ id, onClose, onCreated, onSaved }: TokenDrawerProps) {
  return id === undefined ? (
    <CreateDrawer onClose={onClose} onCreated={onCreated} />
  ) : (
    <EditDrawer id={id} onClose={onClose} onSaved={onSaved} />
  );
}
