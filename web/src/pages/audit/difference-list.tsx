import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import type { Difference } from './undo.js';

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

function Side({ text }: { text: string | undefined }) {
  const { t } = useTranslation('audit');
  if (text === undefined) return <span>{'\u2014'}</span>;
  return text === '' ? (
    <i>{t('blank')}</i>
  ) : (
    <Box sx={long} lang="">
      {text}
    </Box>
  );
}

/** The changed fields with their values before and after, side by side. */
export function DifferenceList({ rows }: { rows: Difference[] }) {
  const { t } = useTranslation('audit');
  return (
    <Box
      component="table"
      sx={{ width: '100%', borderCollapse: 'collapse', tableLayout: 'fixed', typography: 'body2' }}
    >
      <thead>
        <tr>
          {(['field', 'before', 'after'] as const).map((name) => (
            <Box
              key={name}
              component="th"
              scope="col"
              sx={{ ...cell, borderTop: 0, width: name === 'field' ? 140 : 'auto' }}
            >
              {t(`diff.${name}`)}
            </Box>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, before, after }) => (
          <tr key={name}>
            <Box component="th" scope="row" sx={{ ...cell, fontWeight: 400, overflowWrap: 'anywhere' }}>
              {name}
            </Box>
            <Box component="td" sx={cell}>
              <Side text={before} />
            </Box>
            <Box component="td" sx={cell}>
              <Side text={after} />
            </Box>
          </tr>
        ))}
      </tbody>
    </Box>
  );
}
