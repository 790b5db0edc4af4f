import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { DEFAULT_SYSTEM_NAME, selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Card } from './card.js';

/** The narrow card of the sign-in pages, below the name of the system. */
export function EntryCard({ title, children }: { title: string; children: ReactNode }) {
  const { system_name: system } = useAppSelector(selectStatus);
  return (
    <Box sx={{ width: '100%', maxWidth: 500, mx: 'auto', pt: { xs: 2, sm: 6 } }}>
      <Card sx={{ p: { xs: 2, sm: 4 } }}>
        <Stack spacing={2.5}>
          <div>
            <Typography variant="h5" component="h1" tabIndex={-1}>
              {title}
            </Typography>
            <Typography variant="body2" sx={{ color: 'text.secondary' }}>
              {system || DEFAULT_SYSTEM_NAME}
            </Typography>
          </div>
          {children}
        </Stack>
      </Card>
    </Box>
  );
}
