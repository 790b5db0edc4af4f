import ProofIcon from '@mui/icons-material/AccountTreeOutlined';
import DownloadIcon from '@mui/icons-material/FileDownloadOutlined';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { JournalFilter } from '../../api/journal.api.js';
import { noJournalFilter, useListJournalQuery } from '../../api/journal.api.js';
import { idOrNone, useIdCheck } from '../../components/filters/use-id-check.js';
import { useOrderCheck } from '../../components/filters/use-order-check.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import { ACTIONS_PX, wideJournal } from '../../components/journal/journal-columns.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { useJournalExport, usePostingCodes } from '../../components/journal/posting-filter.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { useFilterWords } from '../../components/filters/use-filter-words.js';

const moment = /^\d{0,12}$/;
const filterSpec: FilterSpec<JournalFilter> = {
  defaults: noJournalFilter,
  accept: {
    user_id: idOrNone,
    token_id: idOrNone,
    actor_id: idOrNone,
    code: /^[a-z-]*$/,
    start_timestamp: moment,
    end_timestamp: moment,
  },
};

function useFields(): FilterField<JournalFilter>[] {
  const { t } = useTranslation('journal');
  const checkId = useIdCheck();
  const order = useOrderCheck();
  const codes = usePostingCodes();
  return [
    { name: 'start_timestamp', kind: 'time', label: t('from'), width: 182, check: order },
    { name: 'end_timestamp', kind: 'time', label: t('to'), width: 182, check: order },
    { name: 'code', kind: 'select', label: t('posting.code'), options: codes, width: 124 },
    { name: 'user_id', kind: 'text', label: t('user'), width: 84, check: checkId },
    { name: 'token_id', kind: 'text', label: t('token'), width: 84, check: checkId },
    { name: 'actor_id', kind: 'text', label: t('actor'), width: 92, check: checkId },
    { name: 'reference', kind: 'text', label: t('posting.reference'), placeholder: t('referenceHint'), width: 140 },
  ];
}

/** Every posting of the journal: quota that moved from one account to another. */
export function JournalPage() {
  const { t } = useTranslation('journal');
  const navigate = useNavigate();
  const list = useListState('journal', filterSpec);
  const query = useListJournalQuery(list.request);
  const fields = useFields();
  const describe = useFilterWords(fields);
  const { start: run, busy } = useJournalExport(list.filter);
  return (
    <>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        secondary={[{ id: 'export', label: t('posting.export'), icon: <DownloadIcon />, run, busy }]}
        freshness={{ at: query.fulfilledTimeStamp, refetch: query.refetch }}
      />
      <ResourceTable
        id="journal"
        label={t('title')}
        columns={wideJournal}
        rowId={({ row }) => row}
        rowName={({ reference }) => reference}
        query={query}
        list={list}
        density="compact"
        actionsWidth={ACTIONS_PX}
        rowActions={({ id: row }) => [
          {
            id: 'proof',
            label: t('posting.proof'),
            icon: <ProofIcon fontSize="small" />,
            run: () => void navigate(`/proof/posting/${row}`),
          },
        ]}
        empty={{ title: t('posting.empty'), body: t('emptyBody') }}
        toolbar={<FilterBar fields={fields} list={list} refetch={query.refetch} describe={describe} />}
        filterTexts={list.active.flatMap((name) => describe(name, list.filter[name]) ?? [])}
      />
    </>
  );
}
