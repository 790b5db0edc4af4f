import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { Proof } from '@tollgate/contracts/api/second-factor';
import type { User } from '@tollgate/contracts/api/user';
import { isRoot } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../../components/basics/busy-button.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { useNavigate } from 'react-router-dom';
import { useDeleteSelfMutation, useEraseSelfMutation } from '../../api/self.api.js';
import { downloadFile } from '../../app/download.js';
import type { TextKey } from '../../app/i18n/text-keys.js';
import { signedOut } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Card } from '../../components/layout/card.js';
import { Refusal } from '../../components/feedback/refusal.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { useDeniable } from '../../components/basics/use-deniable.js';
import { CardLine } from './card-line.js';
import { useProof } from './use-proof.js';

/** Downloads a copy of all data stored about the user. */
export function DataCard({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const { busy, start } = useOneAtATime(() =>
    dispatch(downloadFile('api/user/self/export', {}, `user_${user.id}.json`)),
  );
  return (
    <Card title={t('data.title')}>
      <CardLine hint={t('data.hint')}>
        <BusyButton variant="outlined" busy={busy} onClick={start}>
          {t('data.export')}
        </BusyButton>
      </CardLine>
    </Card>
  );
}

/** Ends the session in the console and opens the login page. */
function useLeaving() {
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  return async (key: TextKey) => {
    dispatch(signedOut());
    dispatch(toastShown({ severity: 'success', key }));
    await navigate('/login');
  };
}

function DeleteLine({ user, refusal }: { user: User; refusal: string | undefined }) {
  const { t } = useTranslation('personal');
  const { confirm, dialog } = useConfirm();
  const deniable = useDeniable();
  const leave = useLeaving();
  const [remove] = useDeleteSelfMutation();
  const ask = () =>
    confirm({
      title: t('danger.title'),
      consequences: [t('danger.dialog'), t('danger.body')],
      typed: user.username,
      typedLabel: t('danger.label', { name: user.username }),
      typedHint: t('danger.hint'),
      confirm: { label: t('danger.title'), danger: true },
      run: async () => {
        await remove().unwrap();
        await leave('personal:danger.done');
      },
    });
  return (
    <CardLine hint={refusal ?? t('danger.body')}>
      <Button variant="outlined" color="error" {...deniable(refusal, ask)} sx={{ opacity: refusal ? 0.6 : 1 }}>
        {t('danger.title')}
      </Button>
      {dialog}
    </CardLine>
  );
}

function EraseLine({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const { confirm, dialog } = useConfirm();
  const { prove, failed, dialog: proof } = useProof();
  const leave = useLeaving();
  const [erase] = useEraseSelfMutation();
  const { username } = user;
  const step = async (proof: Proof) => {
    await erase({ username, ...proof }).unwrap();
    await leave('personal:danger.erased');
  };
  const ask = () =>
    confirm({
      title: t('danger.erase'),
      consequences: [t('danger.eraseBody'), t('danger.eraseStays')],
      typed: username,
      typedName: 'username',
      typedLabel: t('danger.eraseLabel', { name: username }),
      confirm: { label: t('danger.erase'), danger: true },
      run: () => prove(t('danger.erase'), step),
    });
  return (
    <CardLine hint={t('danger.eraseHint')}>
      <Button variant="outlined" color="error" onClick={ask}>
        {t('danger.erase')}
      </Button>
      {failed !== undefined && <Refusal error={failed} />}
      {dialog}
      {proof}
    </CardLine>
  );
}

/** Closes or erases the account; the last card of the page. */
export function DangerCard({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const isBound = isRoot(user.role);
  return (
    <Card title={t('danger.title')} sx={{ borderColor: 'error.main' }}>
      <Stack spacing={1.5}>
        <DeleteLine user={user} refusal={isBound ? t('danger.rootOnly') : undefined} />
        {!isBound && <EraseLine user={user} />}
      </Stack>
    </Card>
  );
}
