import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Divider from '@mui/material/Divider';
import Typography from '@mui/material/Typography';
import type { User } from '@tollgate/contracts/api/user';
import { isRoot } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../../components/basics/busy-button.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { downloadFile } from '../../app/download.js';
import { selectRole } from '../../app/slices/session.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { useDeniable } from '../../components/basics/use-deniable.js';
import { useErasure } from './use-erasure.js';
import { denyErase } from './user-rules.js';

function ExportLine({ user }: { user: User }) {
  const { t } = useTranslation('user');
  const dispatch = useAppDispatch();
  const { busy, start } = useOneAtATime(() =>
    dispatch(downloadFile(`api/user/${user.id}/export`, {}, `user_${user.id}.json`)),
  );
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1 }}>
      <Typography variant="body2" sx={{ flex: 1 }}>
        {t('data.exportHint')}
      </Typography>
      <BusyButton size="small" variant="outlined" busy={busy} onClick={start}>
        {t('data.export')}
      </BusyButton>
    </Box>
  );
}

/** Downloads a copy of all data stored about a user, or erases the user. */
export function AccountData({ user, onErased }: { user: User; onErased: () => void }) {
  const { t } = useTranslation('user');
  const role = useAppSelector(selectRole);
  const { ask, dialog } = useErasure(onErased);
  const deniable = useDeniable();
  const denial = denyErase(role, user);
  const refusal = denial && t(denial);
  return (
    <>
      {isRoot(role) && (
        <>
          <Divider sx={{ typography: 'caption', color: 'text.tertiary' }}>{t('data.title')}</Divider>
          <ExportLine user={user} />
        </>
      )}
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          border: 1,
          borderColor: 'error.main',
          borderRadius: '6px',
          p: 1.5,
        }}
      >
        <Typography variant="body2" sx={{ flex: 1 }}>
          {refusal ?? t('data.eraseHint')}
        </Typography>
        <Button
          size="small"
          variant="outlined"
          color="error"
          {...deniable(refusal, () => ask(user))}
          sx={{ flexShrink: 0, opacity: refusal ? 0.6 : 1 }}
        >
          {t('action.eraseUser')}
        </Button>
      </Box>
      {dialog}
    </>
  );
}
