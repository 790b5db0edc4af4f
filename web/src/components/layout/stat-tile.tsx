import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';

/** Below this width tiles are in pairs. */
const PAIRS = '@media (max-width: 479.95px)';

interface StatTileProps {
  label: string;
  value: ReactNode;
  /** Whose figure and for which period; two figures that can differ must not have the same label. */
  scope?: ReactNode;
}

/**
 * A row of tiles. On a phone they are in pairs; if their number is odd, the first one takes a line of its own, since a single tile at the
 * end would look incomplete.
 */
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
          // The longest possible amount still fits on one line.
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
