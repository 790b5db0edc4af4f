import Typography from '@mui/material/Typography';
import type { Redemption } from '@tollgate/contracts/api/redemption';
import { useEffect, useRef } from 'react';
import type { Control } from 'react-hook-form';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import {
  useCreateRedemptionsMutation,
  useGetRedemptionQuery,
  useUpdateRedemptionMutation,
} from '../../api/redemption.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { ExpiryText } from '../../components/forms/expiry-text.js';
import { FormText } from '../../components/forms/form-fields.js';
import { parseUnits, QuotaField } from '../../components/money/quota-field.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { SideDrawer } from '../../components/overlays/side-drawer.js';
import { zoneName } from '../../components/basics/time-format.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { useEditForm } from '../../components/forms/use-edit-form.js';
import { useEditSave } from '../../components/forms/use-edit-save.js';
import { UnsureNote } from '../../components/forms/unsure-note.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import { isUnused } from './redemption-columns.js';
import type { RedemptionForm } from './redemption-form.js';
import {
  blankCode,
  formOf,
  isCount,
  MAX_COUNT,
  nameProblem,
  quotaPresets,
  toCreate,
  toUpdate,
  worthProblem,
} from './redemption-form.js';

const names = { expired_time: 'expiry' } as const;

type FormControl = Control<RedemptionForm>;

function Fields({ control, creating }: { control: FormControl; creating: boolean }) {
  const { t } = useTranslation('redemption');
  const checkName = (name: string) => {
    const problem = nameProblem(name, !creating);
    return problem && t(problem.key, { ...problem.params });
  };
  const checkWorth = (units: number, { count }: RedemptionForm) => {
    const problem = worthProblem(units, creating ? count : '1');
    return problem && t(problem.key, { ...problem.params });
  };
  return (
    <>
      <FormText
        control={control}
        name="name"
        label={t('form.name')}
        check={checkName}
        helperText={creating ? t('form.nameHint') : undefined}
        autoFocus={creating}
        autoComplete="off"
      />
      <QuotaField
        control={control}
        name="quota"
        label={t('form.quota')}
        presets={quotaPresets}
        invalid={t('form.badQuota')}
        min={1}
        check={checkWorth}
      />
      <ExpiryText
        control={control}
        name="expiry"
        label={t('form.expiry')}
        hint={t('form.expiryHint', { zone: zoneName() })}
        invalid={t('form.badExpiry')}
      />
    </>
  );
}

/** The number of codes, with the total worth of the batch. */
function CountField({ control }: { control: FormControl }) {
  const { t } = useTranslation('redemption');
  const scale = useQuotaScale();
  const [count, quota] = useWatch({ control, name: ['count', 'quota'] });
  const units = parseUnits(quota);
  const known = isCount(count) && units !== undefined;
  return (
    <div>
      <FormText
        control={control}
        name="count"
        label={t('form.count')}
        check={(text) => (isCount(text) ? undefined : t('form.badCount', { max: MAX_COUNT }))}
        inputMode="numeric"
      />
      {known && (
        <Typography variant="body2" role="status" sx={{ mt: 0.5, ml: 1.5, color: 'text.secondary' }}>
          {t('form.product', {
            count: Number(count),
            each: formatQuota(units, scale),
            total: formatQuota(units * Number(count), scale),
          })}
        </Typography>
      )}
    </div>
  );
}

interface DrawerProps {
  /** Absent for a new batch. */
  id?: number;
  onClose: () => void;
  onCreated: (name: string, keys: string[]) => void;
  onSaved: (id: number) => void;
}

function CreateDrawer({ onClose, onCreated }: Pick<DrawerProps, 'onClose' | 'onCreated'>) {
  const { t } = useTranslation('redemption');
  const dispatch = useAppDispatch();
  const scale = useQuotaScale();
  const form = useForm<RedemptionForm>({ defaultValues: blankCode });
  const { control, handleSubmit, formState } = form;
  const [create, { isLoading, error }] = useCreateRedemptionsMutation();
  const { unsure } = useDraft(form, { failure: error });
  const count = useWatch({ control, name: 'count' });
  // Fewer codes may be worth more each.
  useEffect(() => {
    if (form.getFieldState('quota').invalid) void form.trigger('quota');
  }, [form, count]);
  const refusal = useRefusedFields(form, error, names);
  const submit = handleSubmit(async (values) => {
    const input = toCreate(values, formatQuota(Number(values.quota), scale).slice(0, 20));
    const { data } = await create(input);
    if (!data) return;
    dispatch(toastShown({ severity: 'success', key: 'redemption:created' }));
    onCreated(input.name as string, data);
  });
  return (
    <SideDrawer
      title={t('create')}
      onClose={onClose}
      onSubmit={submit}
      dirty={formState.isDirty}
      busy={isLoading}
      error={refusal}
    >
      <UnsureNote unsure={unsure} list="/redemption" />
      <Fields control={control} creating />
      <CountField control={control} />
    </SideDrawer>
  );
}

function EditDrawer({ id, onClose, onSaved }: Pick<DrawerProps, 'onClose' | 'onSaved'> & { id: number }) {
  const { t } = useTranslation('redemption');
  const dispatch = useAppDispatch();
  const query = useGetRedemptionQuery(id, { refetchOnMountOrArgChange: true });
  const { data: code } = query;
  const closed = code !== undefined && !isUnused(code);
  const latest = useRef(onClose);
  latest.current = onClose;
  // Its address may be opened by hand; the list has no way to it.
  useEffect(() => {
    if (!closed) return;
    dispatch(toastShown({ severity: 'info', key: 'redemption:editHint' }));
    latest.current();
  }, [closed, dispatch]);
  const [update, state] = useUpdateRedemptionMutation();
  const edit = useEditForm<Redemption, RedemptionForm>({ query, blank: blankCode, formOf });
  const drawer = useEditSave({
    ...{ edit, update, state, names },
    changeOf: (form, seen) => toUpdate(form, seen, id),
    labels: { name: t('form.name'), quota: t('form.quota'), expiry: t('form.expiry') },
    onSaved: () => {
      dispatch(toastShown({ severity: 'success', key: 'redemption:updated' }));
      onSaved(id);
    },
  });
  return (
    <SideDrawer title={code ? t('editOf', { name: code.name }) : t('edit')} onClose={onClose} {...drawer}>
      <Fields control={edit.form.control} creating={false} />
    </SideDrawer>
  );
}

export const RedemptionDrawer = ({ id, onCreated, ...rest }: DrawerProps) =>
  id === undefined ? <CreateDrawer {...rest} onCreated={onCreated} /> : <EditDrawer {...rest} id={id} />;
