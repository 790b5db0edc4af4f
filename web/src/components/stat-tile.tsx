import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

interface StatTileProps {
  label: string;
  value: ReactNode;
  /** Whose and when: two numbers that can differ never share a label. */
  scope?: string;
}

export function StatTile({ label, value, scope }: StatTileProps) {
  return (
    <Box sx={{ minWidth: 0 }}>
      <Typography variant="body2" noWrap title={label} sx={{ color: 'text.secondary' }}>
        {label}
      </Typography>
      <Typography
        variant="stat"
        sx={{
          overflowWrap: 'anywhere',
          fontSize: { xs: '1.125rem', sm: '1.5rem' },
          lineHeight: { xs: 1.5, sm: '2rem' },
        }}
      >
        {value}
      </Typography>
      {scope && (
        <Typography variant="caption" component="p" sx={{ color: 'text.tertiary' }}>
          {scope}
        </Typography>
      )}
    </Box>
  );
}
