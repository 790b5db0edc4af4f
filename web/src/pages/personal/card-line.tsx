import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** An action with a hint that explains it. */
export function CardLine({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', columnGap: 2, rowGap: 0.5 }}>
      {children}
      <Typography variant="body2" sx={{ color: 'text.secondary', flex: '1 1 240px' }}>
        {hint}
      </Typography>
    </Box>
  );
}
