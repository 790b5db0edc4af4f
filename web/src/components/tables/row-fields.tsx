import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useSay } from '../../app/i18n/text-keys.js';
import type { Column } from './table-types.js';

/** Pixels that a time needs; a phone has room for two of them side by side. */
const FIELD_PX = 150;

interface FieldsProps<Row> {
  row: Row;
  columns: Column<Row>[];
  /**
   * For the three fields that a closed card shows: they share one line if they fit, with equal places on all cards. Otherwise fields are in
   * a grid.
   */
  inView?: boolean;
}

const isBlank = (value: ReactNode): boolean => value == null || value === '' || value === false;

/**
 * Derived from the column's width rather than from the row's value, so that all cards are alike; text of any length has a line of its own.
 */
const shareOf = ({ width, least }: Pick<Column<unknown>, 'width' | 'least'>): string =>
  width === 'grow' ? '1 1 100%' : `${width} 1 ${Math.round((least ?? width) * 0.7)}px`;

/** A row's values in some of its columns, labelled by the columns' heads. */
export function Fields<Row>({ row, columns, inView = false }: FieldsProps<Row>) {
  const say = useSay();
  const grid = inView
    ? {
        display: 'flex',
        flexWrap: 'wrap',
        '& dd': { whiteSpace: 'nowrap' },
      }
    : {
        display: 'grid',
        gridTemplateColumns: `repeat(auto-fill, minmax(min(${FIELD_PX}px, 40%), 1fr))`,
        '& dd': { overflowWrap: 'anywhere' },
        // An inline number is left-aligned below its label, whatever the alignment of its column.
        '& dd > input': { width: 96, textAlign: 'left' },
      };
  // A blank value has no label either. On a closed card it keeps its place.
  const shown = columns
    .map(({ cell, ...column }) => ({ ...column, value: cell(row) }))
    .filter(({ value }) => inView || !isBlank(value));
  return (
    <Box component="dl" sx={{ columnGap: 1.5, rowGap: 1, m: 0, ...grid }}>
      {shown.map(({ id, header, value, width, least }) => (
        <Box key={id} style={{ maxWidth: '100%', flex: inView ? shareOf({ width, least }) : undefined }}>
          {!isBlank(value) && (
            <>
              <Typography component="dt" variant="caption" sx={{ color: 'text.tertiary' }}>
                {say(header)}
              </Typography>
              <Typography component="dd" variant="body2" sx={{ m: 0, overflow: 'hidden', textOverflow: 'ellipsis' }}>
                {value}
              </Typography>
            </>
          )}
        </Box>
      ))}
    </Box>
  );
}
