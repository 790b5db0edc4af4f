import LockIcon from '@mui/icons-material/LockOutlined';
import Button from '@mui/material/Button';
import type { PeriodCheck } from '@tollgate/contracts/api/statement';
import { isRoot } from '@tollgate/contracts/roles';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCheckPeriodMutation, useListClosedPeriodsQuery } from '../../api/statement.api.js';
import { selectRole } from '../../app/slices/session.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { Card } from '../../components/layout/card.js';
import { lazyPart } from '../../components/basics/lazy-part.js';
import { useLocalList } from '../../components/tables/local-list.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { ACTIONS_PX, PeriodDetail, periodColumns } from './period-columns.js';

const CloseDialog = lazyPart(async () => (await import('./close-dialog.js')).CloseDialog);

const outcomeOf = ({ matches, signature }: PeriodCheck): 'matches' | 'differs' | 'wrong' => {
  if (!matches) return 'differs';
  return signature === 'wrong' ? 'wrong' : 'matches';
};

/** The closed periods, with the digests that prove that they are unchanged. */
export function PeriodCard() {
  const { t } = useTranslation('statement');
  const dispatch = useAppDispatch();
  const role = useAppSelector(selectRole);
  const list = useLocalList<Record<string, string>>({});
  const { page, size } = list;
  const query = useListClosedPeriodsQuery({ page, size });
  const [check] = useCheckPeriodMutation();
  const [closing, setClosing] = useState(false);
  const look = async (id: number) => {
    const { data, error } = await check(id);
    if (data) {
      const outcome = outcomeOf(data);
      dispatch(
        toastShown({ severity: outcome === 'matches' ? 'success' : 'error', key: `statement:periods.${outcome}` }),
      );
    } else if (error) dispatch(toastShown({ severity: 'error', error: error as never }));
  };
  const last = query.data?.items[0]?.last_day;
  return (
    <Card
      title={t('periods.title')}
      className="no-print"
      action={
        isRoot(role) && (
          <Button startIcon={<LockIcon />} onClick={() => setClosing(true)}>
            {t('periods.close')}
          </Button>
        )
      }
    >
      <ResourceTable
        id="closed-periods"
        label={t('periods.title')}
        columns={periodColumns}
        rowId={({ id }) => id}
        rowName={(row) => row.last_day}
        query={query}
        list={list}
        density="compact"
        asHighAsRows
        actionsWidth={ACTIONS_PX}
        expand={(period) => <PeriodDetail period={period} />}
        rowActions={({ id }) => [{ id: 'check', label: t('periods.check'), run: () => void look(id) }]}
        empty={{ title: t('periods.empty'), body: t('periods.emptyBody') }}
      />
      <Suspense fallback={null}>{closing && <CloseDialog last={last} onClose={() => setClosing(false)} />}</Suspense>
    </Card>
  );
}
