import Button from '@mui/material/Button';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selected } from '../../../components/tables/table-selection.js';
import { describeError, inWords } from '../../../api/api-error.js';
import { toastShown } from '../../../app/slices/toasts.js';
import { useAppDispatch } from '../../../app/store.js';
import { Placeholder } from '../../../components/feedback/busy.js';
import { Callout } from '../../../components/feedback/callout.js';
import { Field } from '../../../components/forms/field.js';
import { ErrorState } from '../../../components/feedback/states.js';
import { useListEnabledModelsQuery } from '../../../api/catalogue.api.js';
import type { FillMode } from './batch-dialog.js';
import { BatchDialog } from './batch-dialog.js';
import type { RatioRow } from './ratio-rows.js';
import { rowOf, unsetModels } from './ratio-rows.js';
import { RatioTable } from './ratio-table.js';
import { useStage } from './use-ratio-edits.js';

function UnsetTable({ enabled }: { enabled: string[] }) {
  const { t } = useTranslation('setting');
  const dispatch = useAppDispatch();
  const stage = useStage();
  const [keyword, setKeyword] = useState('');
  const [chosen, setChosen] = useState<RatioRow[]>();
  const [{ rows: selected }, setSelected] = useState<Pick<Selected<RatioRow>, 'rows'>>({ rows: [] });
  const stored = useMemo(
    () => unsetModels(stage.maps, enabled).map((name) => rowOf(stage.maps, name)),
    [stage.maps, enabled],
  );
  const rows = stored
    .filter(({ name }) => name.toLowerCase().includes(keyword.toLowerCase()))
    .map((row) => stage.edits.get(row.name) ?? row);
  const openBatch = (of: RatioRow[]) => {
    if (of.length > 0) setChosen(of);
    else dispatch(toastShown({ severity: 'error', key: 'setting:batch.choose' }));
  };
  const fill = (mode: FillMode, values: Partial<RatioRow>) => {
    const of = chosen ?? [];
    stage.stage(of.map(({ name }) => ({ ...(stage.edits.get(name) ?? rowOf(stage.maps, name)), ...values })));
    setChosen(undefined);
    const type = t(`batch.modes.${mode}`);
    dispatch(toastShown({ severity: 'success', key: 'setting:batch.done', params: { count: of.length, type } }));
  };
  return (
    <>
      <Callout severity="info" sx={{ mb: 1.5 }}>
        {t('unset.note')}
      </Callout>
      <RatioTable
        id="unset"
        label={t('ratio.tab.unset')}
        rows={rows}
        editing={stage}
        keyword={keyword}
        onClear={() => setKeyword('')}
        empty={{ title: t('unset.empty'), body: t('unset.emptyBody') }}
        bulk={[{ id: 'batch', label: t('batch.open'), run: openBatch }]}
        onSelection={setSelected}
        toolbar={
          <>
            <Button variant="outlined" onClick={() => openBatch(selected)}>
              {t('batch.openCount', { count: selected.length })}
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
      {chosen && <BatchDialog count={chosen.length} onClose={() => setChosen(undefined)} onFill={fill} />}
    </>
  );
}

/** Served models without a price. Their calls are refused unless self-use mode is on. */
export function UnsetModels() {
  const { t } = useTranslation('setting');
  const { data, error, refetch } = useListEnabledModelsQuery();
  if (error && !data) {
    return (
      <ErrorState error={inWords(`${t('unset.failed')} ${describeError(error)}`, error)} retry={() => void refetch()} />
    );
  }
  return data ? <UnsetTable enabled={data} /> : <Placeholder sx={{ height: 240 }} />;
}
