import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { User } from '@tollgate/contracts/api/user';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { Card } from '../../components/layout/card.js';
import { copyText } from '../../components/basics/copy-text.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { useIssueAccessTokenMutation } from '../../api/self.api.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { CardLine } from './card-line.js';
import { takeOnce } from './take-once.js';

const PasswordDialog = lazyPart(async () => (await import('./password-dialog.js')).PasswordDialog);
const TokenDialog = lazyPart(async () => (await import('./token-dialog.js')).TokenDialog);

/** The access token is held in this component only, until its dialog is closed. */
function useAccessToken(username: string) {
  const { t } = useTranslation('personal');
  const dispatch = useAppDispatch();
  const { confirm, dialog } = useConfirm();
  const [issue] = useIssueAccessTokenMutation();
  const [token, setToken] = useState<string>();
  const run = async () => {
    const fresh = await takeOnce(issue());
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
  const { original_needed: hasPassword = true } = user;
  const { ask, token, forget, dialog } = useAccessToken(user.username);
  return (
    <Card title={t('security.title')}>
      <Stack spacing={1.5}>
        <CardLine hint={t(hasPassword ? 'security.passwordHint' : 'security.setPasswordHint')}>
          <Button variant="outlined" onClick={() => setChanging(true)}>
            {t(hasPassword ? 'security.password' : 'security.setPassword')}
          </Button>
        </CardLine>
        <CardLine hint={t('security.tokenHint')}>
          <Button variant="outlined" onClick={ask}>
            {t('security.token')}
          </Button>
        </CardLine>
      </Stack>
      <Suspense fallback={null}>
        {changing && <PasswordDialog hasPassword={hasPassword} onClose={() => setChanging(false)} />}
        {token !== undefined && <TokenDialog token={token} onClose={forget} />}
      </Suspense>
      {dialog}
    </Card>
  );
}
