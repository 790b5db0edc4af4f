import TuneIcon from '@mui/icons-material/ViewColumnOutlined';
import Button from '@mui/material/Button';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../basics/lazy-part.js';
import type { useColumns } from './table-columns.js';

const ColumnSettings = lazyPart(async () => (await import('./column-settings.js')).ColumnSettings);

/** Lets the reader choose the columns of a table. */
export function ColumnButton<Row>({ columns }: { columns: ReturnType<typeof useColumns<Row>> }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button color="inherit" startIcon={<TuneIcon fontSize="small" />} onClick={() => setOpen(true)}>
        {t('table.columns')}
      </Button>
      {open && (
        <Suspense fallback={null}>
          <ColumnSettings
            columns={columns.allowed}
            shown={columns.shown}
            onSave={columns.save}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
