import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

interface StatTileProps {
  label: string;
  value: ReactNode;
  /** Whose and when: two numbers that can differ never share a label. */
  scope?: ReactNode;
}

export function StatTile({ label, value, scope }: StatTileProps) {
  return (
    <Box sx={{ minWidth: 0, containerType: 'inline-size' }}>
      <Typography variant="body2" noWrap title={label} sx={{ color: 'text.secondary' }}>
        {label}
      </Typography>
      <Typography
        variant="stat"
        sx={{
          overflowWrap: 'anywhere',
          // The longest amount that there can be takes one line still.
          fontSize: { xs: 'clamp(0.75rem, 10cqi, 1.125rem)', sm: 'clamp(1rem, 10cqi, 1.5rem)' },
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
