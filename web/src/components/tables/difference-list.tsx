import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Difference } from '../basics/differences.js';
import { differenceKinds, kindOf, percentOf } from '../basics/differences.js';
import { Field } from '../forms/field.js';

/** The most rows that are shown at once; more can be searched. */
const MOST_ROWS = 200;

const cell = {
  p: 1,
  verticalAlign: 'top',
  textAlign: 'left',
  borderTop: '1px solid',
  borderColor: 'border.subtle',
} as const;
const long = {
  typography: 'mono',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  maxHeight: 240,
  overflowY: 'auto',
} as const;
const signs = { added: '+', changed: '~', removed: '\u2212' } as const;
const colors = { added: 'success.main', changed: 'text.secondary', removed: 'error.main' } as const;

function Side({ text, note }: { text: string | undefined; note?: string }) {
  const { t } = useTranslation();
  if (text === undefined) return <span>{'\u2014'}</span>;
  if (text === '') return <i>{t('diff.blank')}</i>;
  return (
    <Box sx={long} lang="">
      {text}
      {note && ` (${note})`}
    </Box>
  );
}

function Row({ row }: { row: Difference }) {
  const { t } = useTranslation();
  const { name, key, before, after } = row;
  const kind = kindOf(row);
  return (
    <tr>
      <Box component="th" scope="row" sx={{ ...cell, fontWeight: 400, overflowWrap: 'anywhere' }}>
        {key ?? name}
        <Typography variant="caption" component="div" sx={{ color: colors[kind] }}>
          {signs[kind]} {t(`diff.kind.${kind}`)}
          {key !== undefined && ` · ${name}`}
        </Typography>
      </Box>
      <Box component="td" sx={cell}>
        <Side text={before} />
      </Box>
      <Box component="td" sx={cell}>
        <Side text={after} note={percentOf(row)} />
      </Box>
    </tr>
  );
}

/** How many values were added, changed and removed. */
function Counts({ rows }: { rows: Difference[] }) {
  const { t } = useTranslation();
  const kinds = differenceKinds.map((kind) => ({ kind, count: rows.filter((row) => kindOf(row) === kind).length }));
  const words = kinds.flatMap(({ kind, count }) => (count > 0 ? t(`diff.count.${kind}`, { count }) : []));
  return (
    <Typography variant="caption" component="p" sx={{ m: 0, mt: 1 }}>
      {words.join(' · ')}
    </Typography>
  );
}

/** The changed values before and after, side by side. */
export function DifferenceList({ rows }: { rows: Difference[] }) {
  const { t } = useTranslation();
  const [keyword, setKeyword] = useState('');
  const wanted = keyword.toLowerCase();
  const found = rows.filter(({ name, key = name }) => key.toLowerCase().includes(wanted));
  const more = found.length - MOST_ROWS;
  return (
    <>
      {rows.length > MOST_ROWS && (
        <Box sx={{ pt: 1, pb: 1 }}>
          <Field label={t('diff.search')} value={keyword} onChange={(event) => setKeyword(event.target.value)} />
        </Box>
      )}
      {rows.length > 1 && <Counts rows={rows} />}
      <Box
        component="table"
        sx={{ width: '100%', borderCollapse: 'collapse', tableLayout: 'fixed', typography: 'body2' }}
      >
        <thead>
          <tr>
            {(['field', 'before', 'after'] as const).map((head) => (
              <Box key={head} component="th" scope="col" sx={{ ...cell, borderTop: 0 }}>
                {t(`diff.${head}`)}
              </Box>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.slice(0, MOST_ROWS).map((row) => (
            <Row key={JSON.stringify([row.name, row.key])} row={row} />
          ))}
        </tbody>
      </Box>
      {more > 0 && <Typography variant="caption">{t('diff.more', { count: more })}</Typography>}
    </>
  );
}
