import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { User } from '@tollgate/contracts/api/user';
import { isRoot } from '@tollgate/contracts/roles';
import type { ReactNode } from 'react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { signedOut } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Card } from '../../components/card.js';
import { useDeniable } from '../../components/use-deniable.js';
import { copyText } from '../../components/copy-text.js';
import { useConfirm } from '../../components/use-confirm.js';
import { useDeleteSelfMutation, useIssueAccessTokenMutation } from '../../api/self.api.js';
import { lazyPart } from '../../components/lazy-part.js';

const PasswordDialog = lazyPart(async () => (await import('./password-dialog.js')).PasswordDialog);
const TokenDialog = lazyPart(async () => (await import('./token-dialog.js')).TokenDialog);

function Line({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', columnGap: 2, rowGap: 0.5 }}>
      {children}
      <Typography variant="body2" sx={{ color: 'text.secondary', flex: '1 1 240px' }}>
        {hint}
      </Typography>
    </Box>
  );
}

/** The token lives in this component only, until its dialog is closed. */
function useAccessToken(username: string) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [issue] = useIssueAccessTokenMutation();
  const [token, setToken] = useState<string>();
  const run = async () => {
    const call = issue();
    const fresh = await call.unwrap();
    // The store forgets it at once.
    call.reset();
    setToken(fresh);
    const copied = await copyText(fresh);
    const key = copied ? 'personal:security.tokenDone' : 'personal:security.tokenMade';
    dispatch(toastShown({ severity: 'success', key }));
  };
  const ask = () =>
    confirm({
      title: t('security.tokenTitle'),
      consequences: [t('security.tokenReplaces'), t('security.tokenOnce')],
      typed: username,
      confirm: { label: t('security.token') },
      run,
    });
  return { ask, token, forget: () => setToken(undefined), dialog };
}

export function SecurityCard({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const [changing, setChanging] = useState(false);
  const { ask, token, forget, dialog } = useAccessToken(user.username);
  return (
    <Card title={t('security.title')}>
      <Stack spacing={1.5}>
        <Line hint={t('security.passwordHint')}>
          <Button variant="outlined" onClick={() => setChanging(true)}>
            {t('security.password')}
          </Button>
        </Line>
        <Line hint={t('security.tokenHint')}>
          <Button variant="outlined" onClick={ask}>
            {t('security.token')}
          </Button>
        </Line>
      </Stack>
      <Suspense fallback={null}>
        {changing && <PasswordDialog onClose={() => setChanging(false)} />}
        {token !== undefined && <TokenDialog token={token} onClose={forget} />}
      </Suspense>
      {dialog}
    </Card>
  );
}

/** Last on the page: the end of the account. */
export function DangerCard({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const navigate = useNavigate();
  const { confirm, dialog } = useConfirm();
  const [remove] = useDeleteSelfMutation();
  const refusal = isRoot(user.role) ? t('danger.rootOnly') : undefined;
  const run = async () => {
    await remove().unwrap();
    dispatch(signedOut());
    dispatch(toastShown({ severity: 'success', key: 'personal:danger.done' }));
    await navigate('/login');
  };
  const deniable = useDeniable();
  const ask = () =>
    confirm({
      title: t('danger.title'),
      consequences: [t('danger.dialog'), t('danger.body')],
      typed: user.username,
      typedLabel: t('danger.label', { name: user.username }),
      typedHint: t('danger.hint'),
      confirm: { label: t('danger.title'), danger: true },
      run,
    });
  return (
    <Card title={t('danger.title')} sx={{ borderColor: 'error.main' }}>
      <Line hint={refusal ?? t('danger.body')}>
        <Button variant="outlined" color="error" {...deniable(refusal, ask)} sx={{ opacity: refusal ? 0.6 : 1 }}>
          {t('danger.title')}
        </Button>
      </Line>
      {dialog}
    </Card>
  );
}
