import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { ReactNode } from 'react';
import { useSay } from '../../app/i18n/text-keys.js';
import type { Column } from './table-types.js';

/** Room for a time; a phone has it twice side by side. */
const FIELD_PX = 150;

interface FieldsProps<Row> {
  row: Row;
  columns: Column<Row>[];
  /** The three in view share one line as long as they fit, the same one on each card; the others have room. */
  inView?: boolean;
}

const isBlank = (value: ReactNode): boolean => value == null || value === '' || value === false;

/** By the width of its column, not by what this row has in it; words without an end have a line of their own. */
const shareOf = ({ width, least }: Pick<Column<unknown>, 'width' | 'least'>): string =>
  width === 'grow' ? '1 1 100%' : `${width} 1 ${Math.round((least ?? width) * 0.7)}px`;

/** What a row has in some of its columns, with their heads as labels. */
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
        // A number stands below its label, whatever its column does.
        '& dd > input': { width: 96, textAlign: 'left' },
      };
  // What does not apply has no label either; in view it leaves its place.
  const said = columns
    .map(({ cell, ...column }) => ({ ...column, value: cell(row) }))
    .filter(({ value }) => inView || !isBlank(value));
  return (
    <Box component="dl" sx={{ columnGap: 1.5, rowGap: 1, m: 0, ...grid }}>
      {said.map(({ id, header, value, width, least }) => (
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
