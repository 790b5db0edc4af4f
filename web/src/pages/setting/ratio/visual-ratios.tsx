import AddIcon from '@mui/icons-material/Add';
import Button from '@mui/material/Button';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../../components/field.js';
import { useConfirm } from '../../../components/use-confirm.js';
import { RatioDialog } from './ratio-dialog.js';
import type { RatioRow } from './ratio-rows.js';
import { rowsOf } from './ratio-rows.js';
import { RatioTable } from './ratio-table.js';
import type { RatioStage } from './use-ratio-edits.js';
import { useStage } from './use-ratio-edits.js';

/** Every model of the three tables in one, with the staged changes in place. */
function useRows(stage: RatioStage, keyword: string) {
  const { maps, edits } = stage;
  return useMemo(() => {
    const stored = rowsOf(maps);
    const known = new Set(stored.map(({ name }) => name));
    const added = [...edits].flatMap(([name, row]) => (row && !known.has(name) ? [row] : []));
    const all = [...added, ...stored.flatMap((row) => edits.get(row.name) ?? (edits.has(row.name) ? [] : row))];
    const wanted = keyword.toLowerCase();
    return { known, all: all.filter(({ name }) => name.toLowerCase().includes(wanted)) };
  }, [maps, edits, keyword]);
}

export function VisualRatios() {
  const { t } = useTranslation('setting');
  const stage = useStage();
  const [keyword, setKeyword] = useState('');
  const [open, setOpen] = useState<{ row?: RatioRow }>();
  const { confirm, dialog } = useConfirm();
  const { known, all } = useRows(stage, keyword);
  const askDelete = ({ name }: RatioRow) =>
    confirm({
      title: t('ratio.deleteTitle', { name }),
      consequences: [t('ratio.deleteBody')],
      confirm: { label: t('action.delete'), danger: true },
      run: async () => stage.stage([name]),
    });
  return (
    <>
      <RatioTable
        id="ratio"
        label={t('ratio.tab.visual')}
        rows={all}
        stage={stage}
        keyword={keyword}
        onClear={() => setKeyword('')}
        onEdit={(row) => setOpen({ row })}
        onDelete={askDelete}
        empty={{ title: t('ratio.empty') }}
        toolbar={
          <>
            <Button variant="outlined" startIcon={<AddIcon />} onClick={() => setOpen({})}>
              {t('ratio.add')}
            </Button>
            <Field
              label={t('ratio.search')}
              value={keyword}
              onChange={(event) => setKeyword(event.target.value)}
              width={220}
            />
          </>
        }
      />
      {open && (
        <RatioDialog
          row={open.row}
          taken={(name) => known.has(name) || Boolean(stage.edits.get(name))}
          onClose={() => setOpen(undefined)}
          onSave={(row) => {
            stage.stage([row]);
            setOpen(undefined);
          }}
        />
      )}
      {dialog}
    </>
  );
}
