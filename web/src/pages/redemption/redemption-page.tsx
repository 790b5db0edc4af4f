import AddIcon from '@mui/icons-material/Add';
import CopyIcon from '@mui/icons-material/ContentCopy';
import Box from '@mui/material/Box';
import type { Redemption } from '@tollgate/contracts/api/redemption';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selected } from '../../components/tables/table-selection.js';
import type { RedemptionFilter } from '../../api/redemption.api.js';
import { useListRedemptionsQuery, useSumRedemptionsQuery } from '../../api/redemption.api.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { formatQuota } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { StatusChip } from '../../components/texts/status-chip.js';
import { useRouteDrawer } from '../../components/overlays/use-route-drawer.js';
import { ACTIONS_PX, isUnused, redemptionColumns, statusKeyOf, statusKeys } from './redemption-columns.js';
import { useRedemptionActions } from './redemption-actions.js';

const RedemptionDrawer = lazyPart(async () => (await import('./redemption-drawer.js')).RedemptionDrawer);
const CreatedDialog = lazyPart(async () => (await import('./created-dialog.js')).CreatedDialog);

/** The codes of one creation. */
interface Made {
  name: string;
  keys: string[];
}

const filterSpec: FilterSpec<RedemptionFilter> = { defaults: { keyword: '', status: '' } };

/** Number and worth of the codes by state. */
function Sums() {
  const { t } = useTranslation('redemption');
  const { data = [] } = useSumRedemptionsQuery();
  const scale = useQuotaScale();
  if (data.length === 0) return null;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2, rowGap: 0.5, mb: 1.5, flexShrink: 0 }}>
      {data.map(({ status, count, quota }) => (
        <Box key={status} sx={{ display: 'flex', alignItems: 'center', gap: 1, typography: 'body2' }}>
          <StatusChip status={statusKeyOf(status)} raw={status} />
          {t('sums.of', { count, amount: formatQuota(quota, scale) })}
        </Box>
      ))}
    </Box>
  );
}

/** Copies rows, which must have been selected. */
function useCopyChosen(copyRows: (rows: Redemption[]) => unknown) {
  const dispatch = useAppDispatch();
  return (rows: Redemption[]) => {
    if (rows.length > 0) void copyRows(rows);
    else dispatch(toastShown({ severity: 'error', key: 'redemption:selectOne' }));
  };
}

function useFields(): FilterField<RedemptionFilter>[] {
  const { t } = useTranslation('redemption');
  const options = [
    { value: '', label: t('search.all') },
    ...Object.entries(statusKeys).map(([value, key]) => ({ value, label: t(`status.${key}`) })),
  ];
  return [
    { name: 'keyword', kind: 'text', label: t('search.keyword'), placeholder: t('search.keywordHint'), width: 220 },
    { name: 'status', kind: 'select', label: t('search.status'), options, width: 140 },
  ];
}

export function RedemptionPage() {
  const { t } = useTranslation('redemption');
  const list = useListState('redemption', filterSpec);
  const query = useListRedemptionsQuery(list.request);
  const [{ rows: selected }, setSelected] = useState<Pick<Selected<Redemption>, 'rows'>>({ rows: [] });
  const [flashed, setFlashed] = useState<number>();
  const [made, setMade] = useState<Made>();
  const { actionsOf, copyRows, dialogs } = useRedemptionActions();
  const drawer = useRouteDrawer('/redemption');
  const fields = useFields();
  const describe = (name: keyof RedemptionFilter, value: string) =>
    t(`search.chip.${name}`, { value: name === 'status' ? t(`status.${statusKeyOf(Number(value))}`) : value });
  const copy = useCopyChosen(copyRows);
  return (
    <>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        primary={{ id: 'add', label: t('add'), icon: <AddIcon />, run: drawer.add }}
        secondary={[{ id: 'copy', label: t('copySelected'), icon: <CopyIcon />, run: () => copy(selected) }]}
        freshness={{ at: query.fulfilledTimeStamp, refetch: query.refetch }}
      />
      <Sums />
      <ResourceTable
        id="redemption"
        label={t('title')}
        columns={redemptionColumns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        query={query}
        list={list}
        rowActions={actionsOf}
        actionsWidth={ACTIONS_PX}
        bulk={[{ id: 'copy', label: t('copySelected'), run: copy }]}
        onSelection={setSelected}
        tone={(row) => (isUnused(row) ? undefined : 'disabled')}
        empty={{ title: t('empty.title'), body: t('empty.body'), action: { label: t('add'), run: drawer.add } }}
        toolbar={<FilterBar fields={fields} list={list} refetch={query.refetch} describe={describe} />}
        filterTexts={list.active.flatMap((name) => describe(name, list.filter[name]) ?? [])}
        flashed={flashed}
      />
      <Suspense fallback={null}>
        {drawer.open && (
          <RedemptionDrawer
            key={drawer.id}
            id={drawer.id}
            onClose={drawer.close}
            onCreated={drawer.savedAfter((name, keys) => setMade({ name, keys }))}
            onSaved={drawer.savedAfter(setFlashed)}
          />
        )}
        {made && <CreatedDialog {...made} onClose={() => setMade(undefined)} />}
        {dialogs}
      </Suspense>
    </>
  );
}
