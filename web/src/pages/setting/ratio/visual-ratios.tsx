import AddIcon from '@mui/icons-material/Add';
import Button from '@mui/material/Button';
import { useDeferredValue, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../../components/forms/field.js';
import { useConfirm } from '../../../components/overlays/use-confirm.js';
import { RatioDialog } from './ratio-dialog.js';
import type { RatioRow } from './ratio-rows.js';
import { rowsOf } from './ratio-rows.js';
import { RatioTable } from './ratio-table.js';
import type { RatioStage } from './use-ratio-edits.js';
import { useStage } from './use-ratio-edits.js';

/**
 * All models of the three tables in one list, with the staged changes applied. The stored rows are sorted once and not
 * at every keystroke.
 */
function useRows({ maps, edits }: RatioStage, keyword: string) {
  const stored = useMemo(() => rowsOf(maps), [maps]);
  const known = useMemo(() => new Set(stored.map(({ name }) => name)), [stored]);
  const wanted = useDeferredValue(keyword.toLowerCase());
  const found = useMemo(() => stored.filter(({ name }) => name.toLowerCase().includes(wanted)), [stored, wanted]);
  const all = useMemo(() => {
    const added = [...edits].flatMap(([name, row]) =>
      row && !known.has(name) && name.toLowerCase().includes(wanted) ? [row] : [],
    );
    const kept =
      edits.size === 0 ? found : found.flatMap((row) => edits.get(row.name) ?? (edits.has(row.name) ? [] : row));
    return [...added, ...kept];
  }, [known, found, edits, wanted]);
  return { known, all };
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
        editing={stage}
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
