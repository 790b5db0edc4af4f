import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** Below it two tiles stand side by side. */
const PAIRS = '@media (max-width: 479.95px)';

interface StatTileProps {
  label: string;
  value: ReactNode;
  /** Whose and when: two numbers that can differ never share a label. */
  scope?: ReactNode;
}

/** One row of tiles; on a phone pairs, under the first one if there is an odd number: a tile alone at the end would look like a part of nothing. */
export function StatRow({ children }: { children: ReactNode }) {
  return (
    <Box
      sx={{
        display: 'grid',
        gridAutoFlow: 'column',
        gridAutoColumns: 'minmax(0, 1fr)',
        gap: 2,
        [PAIRS]: {
          gridAutoFlow: 'row',
          gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
          '& > :first-of-type:nth-last-of-type(odd)': { gridColumn: '1 / -1' },
        },
      }}
    >
      {children}
    </Box>
  );
}

export function StatTile({ label, value, scope }: StatTileProps) {
  return (
    <Box data-tile sx={{ minWidth: 0, containerType: 'inline-size' }}>
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
