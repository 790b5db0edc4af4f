import Box from '@mui/material/Box';
import type { ReactNode } from 'react';
import { Fragment } from 'react';

export interface Definition {
  label: string;
  value: ReactNode;
}

interface DefinitionListProps {
  rows: Definition[];
  /** Aligns the values of several lists below each other. */
  aligned?: boolean;
}

/** Names on the left, values of any length on the right. */
export function DefinitionList({ rows, aligned = false }: DefinitionListProps) {
  const names = aligned ? 'min(38%, 168px)' : 'fit-content(45%)';
  return (
    <Box
      component="dl"
      sx={{
        display: 'grid',
        gridTemplateColumns: `${names} minmax(0, 1fr)`,
        columnGap: 2,
        rowGap: 0.5,
        m: 0,
        typography: 'body2',
      }}
    >
      {rows.map(({ label, value }) => (
        <Fragment key={label}>
          <Box component="dt" sx={{ color: 'text.secondary', minWidth: 96, overflowWrap: 'anywhere' }}>
            {label}
          </Box>
          <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}>
            {value}
          </Box>
        </Fragment>
      ))}
    </Box>
  );
}
