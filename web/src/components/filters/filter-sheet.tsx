import Button from '@mui/material/Button';
import Drawer from '@mui/material/Drawer';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode, SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';

interface FilterSheetProps {
  title: string;
  onClose: () => void;
  onSubmit: (event: SyntheticEvent) => void;
  children: ReactNode;
}

/** The filters of the narrow layout, in a sheet from below. */
export function FilterSheet({ title, onClose, onSubmit, children }: FilterSheetProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      anchor="bottom"
      open
      onClose={onClose}
      slotProps={{
        paper: { sx: { maxHeight: '85dvh', borderRadius: '12px 12px 0 0' }, 'aria-label': title, role: 'dialog' },
      }}
      sx={{ zIndex: 'modal' }}
    >
      <Stack component="form" spacing={2} onSubmit={onSubmit} sx={{ p: 2 }}>
        <Typography variant="h6" component="h2">
          {title}
        </Typography>
        {children}
        <Stack direction="row" spacing={1}>
          <Button type="submit" variant="contained" sx={{ flex: 1 }}>
            {t('action.search')}
          </Button>
          <Button onClick={onClose} variant="outlined" sx={{ flex: 1 }}>
            {t('action.cancel')}
          </Button>
        </Stack>
      </Stack>
    </Drawer>
  );
}
