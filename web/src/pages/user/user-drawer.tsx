import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { User } from '@tollgate/contracts/api/user';
import { textLimits } from '@tollgate/contracts/text-limits';
import type { Control } from 'react-hook-form';
import { Suspense } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { useListGroupNamesQuery } from '../../api/catalogue.api.js';
import { selectUser } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { FormSelect, FormText } from '../../components/forms/form-fields.js';
import { formatQuota, formatUnits } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { UnsureNote } from '../../components/forms/unsure-note.js';
import { useSubmissionKey } from '../../components/forms/use-submission-key.js';
import { SideDrawer } from '../../components/overlays/side-drawer.js';
import { useDraft } from '../../components/forms/use-draft.js';
import { useEditForm } from '../../components/forms/use-edit-form.js';
import { useEditSave } from '../../components/forms/use-edit-save.js';
import { useRefusedFields } from '../../components/forms/use-refused-fields.js';
import type { UserForm, UserProblem } from './user-form.js';
import {
  blankUser,
  displayNameProblem,
  formOf,
  parseDelta,
  passwordProblem,
  toCreate,
  toUpdate,
  usernameProblem,
} from './user-form.js';
import { useCreateUserMutation, useGetUserQuery, useUpdateUserMutation } from '../../api/user.api.js';

const UserMoney = lazyPart(async () => (await import('./user-money.js')).UserMoney);
const AccountData = lazyPart(async () => (await import('./account-data.js')).AccountData);
const AccountAccess = lazyPart(async () => (await import('./account-access.js')).AccountAccess);

const names = { quota_delta: 'delta' } as const;

type FormControl = Control<UserForm>;

function useProblemWords() {
  const { t } = useTranslation('user');
  return (problem: UserProblem | undefined) => problem && t(problem.key, { ...problem.params });
}

interface NameFieldsProps {
  control: FormControl;
  /** The user's present name; absent for a new user. */
  own?: string;
  /** Whether the user is the one who edits. */
  isSelf?: boolean;
}

/** The own password needs the present one, which the personal settings ask for. */
function OwnPasswordHint() {
  const { t } = useTranslation('user');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
      <Typography variant="body2" sx={{ flex: 1, color: 'text.secondary' }}>
        {t('form.ownPassword')}
      </Typography>
      <Button component={Link} to="/personal" size="small">
        {t('form.toPersonal')}
      </Button>
    </Box>
  );
}

function NameFields({ control, own, isSelf = false }: NameFieldsProps) {
  const creating = own === undefined;
  const { t } = useTranslation('user');
  const words = useProblemWords();
  return (
    <>
      <FormText
        control={control}
        name="username"
        label={t('form.username')}
        check={(name) => words(usernameProblem(name, own))}
        autoFocus={creating}
        autoComplete="off"
        spellCheck={false}
      />
      <FormText
        control={control}
        name="displayName"
        label={t('form.displayName')}
        check={(name) => words(displayNameProblem(name))}
        helperText={creating ? t('form.displayNameHint') : undefined}
        autoComplete="off"
      />
      {isSelf ? (
        <OwnPasswordHint />
      ) : (
        <FormText
          control={control}
          name="password"
          type="password"
          label={t('form.password')}
          placeholder={t(creating ? 'form.passwordHint' : 'form.newPasswordHint')}
          check={(password) => words(passwordProblem(password, creating))}
          helperText={creating ? undefined : t('form.passwordConsequence')}
          autoComplete="new-password"
        />
      )}
    </>
  );
}

/** The old balance, the change and the new balance as they will be booked. */
function QuotaSum({ user, delta }: { user: User; delta: number }) {
  const { t } = useTranslation('user');
  const scale = useQuotaScale();
  const show = (units: number, signed = false) =>
    scale.inCurrency ? formatQuota(units, scale, { signed }) : `${signed && units > 0 ? '+' : ''}${formatUnits(units)}`;
  return (
    <Box sx={{ bgcolor: 'background.sunken', borderRadius: '6px', px: 1.5, py: 1 }} role="status">
      <Typography variant="body2">
        {delta === 0
          ? t('quota.now', { amount: show(user.quota) })
          : t('quota.sum', { old: show(user.quota), change: show(delta, true), next: show(user.quota + delta) })}
      </Typography>
      <Typography variant="caption" sx={{ color: 'text.tertiary' }}>
        {t('quota.note')}
      </Typography>
    </Box>
  );
}

function QuotaFields({ control, user }: { control: FormControl; user: User }) {
  const { t } = useTranslation('user');
  const scale = useQuotaScale();
  const delta = parseDelta(useWatch({ control, name: 'delta' }));
  const worth = delta && scale.inCurrency ? t('form.equivalent', { amount: formatQuota(delta, scale) }) : undefined;
  return (
    <>
      <QuotaSum user={user} delta={delta ?? 0} />
      <FormText
        control={control}
        name="delta"
        label={t('quota.delta')}
        placeholder="0"
        check={(text) => (text.trim() === '' || parseDelta(text) !== undefined ? undefined : t('quota.bad'))}
        helperText={worth}
        autoComplete="off"
      />
      {Boolean(delta) && (
        <FormText
          control={control}
          name="reason"
          label={t('quota.reason')}
          check={(text) => (text.trim() === '' ? t('quota.noReason') : undefined)}
          limit={textLimits.reason}
          autoComplete="off"
        />
      )}
    </>
  );
}

function GroupField({ control, own }: { control: FormControl; own: string }) {
  const { t } = useTranslation('user');
  const { data: groups = [] } = useListGroupNamesQuery();
  const names = [...new Set([own, ...groups])];
  return (
    <FormSelect
      control={control}
      name="group"
      label={t('form.group')}
      options={names.map((name) => ({ value: name, label: name }))}
      helperText={t('form.groupHint')}
    />
  );
}

interface UserDrawerProps {
  /** Absent for a new user. */
  id?: number;
  onClose: () => void;
  /** Called with the id of an edited user, or without one for a new user. */
  onSaved: (id?: number) => void;
}

function CreateDrawer({ onClose, onSaved }: Omit<UserDrawerProps, 'id'>) {
  const { t } = useTranslation('user');
  const dispatch = useAppDispatch();
  const form = useForm<UserForm>({ defaultValues: blankUser });
  const { control, handleSubmit, formState } = form;
  const [create, { isLoading, error }] = useCreateUserMutation();
  const { unsure } = useDraft(form, { secrets: ['password'], failure: error });
  const refusal = useRefusedFields(form, error);
  const submit = handleSubmit(async (form) => {
    const reply = await create(toCreate(form));
    if (reply.error) return;
    dispatch(toastShown({ severity: 'success', key: 'user:created' }));
    onSaved();
  });
  return (
    <SideDrawer
      title={t('add')}
      onClose={onClose}
      onSubmit={submit}
      dirty={formState.isDirty}
      busy={isLoading}
      error={refusal}
    >
      <UnsureNote unsure={unsure} list="/user" />
      <NameFields control={control} />
    </SideDrawer>
  );
}

function EditDrawer({ id, onClose, onSaved }: UserDrawerProps & { id: number }) {
  const { t } = useTranslation('user');
  const dispatch = useAppDispatch();
  const query = useGetUserQuery(id, { refetchOnMountOrArgChange: true });
  const { data: user } = query;
  const isSelf = useAppSelector(selectUser)?.id === id;
  const [update, state] = useUpdateUserMutation();
  const keyOf = useSubmissionKey('user', ['password']);
  const edit = useEditForm<User, UserForm>({ query, blank: blankUser, formOf, secrets: ['password'] });
  const { control } = edit.form;
  const drawer = useEditSave({
    ...{ edit, state, names },
    changeOf: (form, seen) => toUpdate(form, seen, id),
    update: (change) => update({ change, key: keyOf(change) }),
    labels: { username: t('form.username'), displayName: t('form.displayName'), group: t('form.group') },
    onSaved: () => {
      dispatch(toastShown({ severity: 'success', key: 'user:updated' }));
      onSaved(id);
    },
  });
  return (
    <SideDrawer title={user ? t('editOf', { name: user.username, id }) : t('edit')} onClose={onClose} {...drawer}>
      <NameFields control={control} own={user?.username ?? ''} isSelf={isSelf} />
      {user && (
        <>
          <GroupField control={control} own={user.group} />
          <QuotaFields control={control} user={user} />
          <Suspense fallback={<Placeholder />}>
            <AccountAccess user={user} />
            <UserMoney user={user} />
            <AccountData user={user} onErased={() => onSaved(id)} />
          </Suspense>
        </>
      )}
    </SideDrawer>
  );
}

export function UserDrawer({ id, onClose, onSaved }: UserDrawerProps) {
  return id === undefined ? (
    <CreateDrawer onClose={onClose} onSaved={onSaved} />
  ) : (
    <EditDrawer id={id} onClose={onClose} onSaved={onSaved} />
  );
}
