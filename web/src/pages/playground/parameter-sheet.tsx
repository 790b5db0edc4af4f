import Button from '@mui/material/Button';
import Drawer from '@mui/material/Drawer';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** The parameters in a narrow window, as a sheet that opens from below. */
export function ParameterSheet({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const { t } = useTranslation('playground');
  const title = t('parameters');
  const paper = { sx: { maxHeight: '85dvh', borderRadius: '12px 12px 0 0' }, 'aria-label': title, role: 'dialog' };
  return (
    <Drawer anchor="bottom" open onClose={onClose} slotProps={{ paper }} sx={{ zIndex: 'modal' }}>
      <Stack spacing={2} sx={{ p: 2 }}>
        <Typography variant="h6" component="h2">
          {title}
        </Typography>
        {children}
        <Button variant="contained" onClick={onClose}>
          {t('action.ok')}
        </Button>
      </Stack>
    </Drawer>
  );
}
