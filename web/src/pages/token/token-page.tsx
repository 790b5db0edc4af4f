import AddIcon from '@mui/icons-material/Add';
import CopyIcon from '@mui/icons-material/ContentCopy';
import type { Token } from '@tollgate/contracts/api/token';
import { TokenStatus } from '@tollgate/contracts/roles';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Selected } from '../../components/tables/table-selection.js';
import { runJob, stepCall } from '../../app/run-job.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import { useFilterWords } from '../../components/filters/use-filter-words.js';
import { useRouteDrawer } from '../../components/overlays/use-route-drawer.js';
import { fetchToken, useTokenActions } from './token-actions.js';
import { ACTIONS_PX, tokenColumns } from './token-columns.js';
import type { TokenFilter } from '../../api/token.api.js';
import { useListTokensQuery } from '../../api/token.api.js';
import { Callout } from '../../components/feedback/callout.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const loadDrawer = () => import('./token-drawer.js');
const TokenDrawer = lazyPart(async () => (await loadDrawer()).TokenDrawer);
const KeyDialog = lazyPart(async () => (await import('./key-dialog.js')).KeyDialog);
const UsagePanel = lazyPart(async () => (await import('./usage-panel.js')).UsagePanel);

const filterSpec: FilterSpec<TokenFilter> = { defaults: { keyword: '', token: '' } };

/** Copies the keys of tokens, each with its name. They are fetched one by one, with progress, and a rate limit is waited for. */
function useCopySelected(selected: Token[], copy: (text: string) => Promise<boolean>) {
  const dispatch = useAppDispatch();
  const { start } = useOneAtATime(async () => {
    const lines: string[] = [];
    const calls = selected.map(({ id, name }) =>
      stepCall({
        name,
        run: async () => {
          const { key } = await dispatch(fetchToken(id)).unwrap();
          lines.push(`${name}    sk-${key}`);
          return { key: 'token:fetched' };
        },
      }),
    );
    await dispatch(runJob({ titleKey: 'token:copySelected', calls, stopOnFailure: true }));
    if (lines.length === selected.length) await copy(lines.join('\n'));
  });
  return () => {
    if (selected.length === 0) dispatch(toastShown({ severity: 'error', key: 'token:selectOne' }));
    else start();
  };
}

function useFields(): FilterField<TokenFilter>[] {
  const { t } = useTranslation('token');
  return [
    { name: 'keyword', kind: 'text', label: t('search.keyword'), placeholder: t('search.keywordHint'), width: 200 },
    { name: 'token', kind: 'text', label: t('search.key'), placeholder: t('search.keyHint'), width: 200 },
  ];
}

export function TokenPage() {
  const { t } = useTranslation('token');
  const list = useListState('token', filterSpec);
  const query = useListTokensQuery(list.request);
  const [{ rows: selected }, setSelected] = useState<Pick<Selected<Token>, 'rows'>>({ rows: [] });
  const [panel, setPanel] = useState(false);
  const [flashed, setFlashed] = useState<number>();
  const { actionsOf, keyOf, copy, shown, close, dialogs } = useTokenActions();
  const copySelected = useCopySelected(selected, copy);
  const drawer = useRouteDrawer('/token');
  const fields = useFields();
  const describe = useFilterWords(fields);
  return (
    <>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        primary={{ id: 'add', label: t('add'), icon: <AddIcon />, run: drawer.add }}
        secondary={[{ id: 'copy', label: t('copySelected'), icon: <CopyIcon />, run: copySelected }]}
        freshness={{ at: query.fulfilledTimeStamp, refetch: query.refetch }}
      />
      <Callout severity="warning" sx={{ mb: 1.5, flexShrink: 0 }}>
        {t('banner')}
      </Callout>
      {panel && (
        <Suspense fallback={null}>
          <UsagePanel onClose={() => setPanel(false)} />
        </Suspense>
      )}
      <ResourceTable
        id="token"
        label={t('title')}
        columns={tokenColumns}
        rowId={({ id }) => id}
        rowName={({ name }) => name}
        query={query}
        list={list}
        rowActions={actionsOf}
        actionsWidth={ACTIONS_PX}
        bulk={[{ id: 'copy', label: t('copySelected'), run: copySelected }]}
        onSelection={setSelected}
        tone={({ status }) => (status === TokenStatus.enabled ? undefined : 'disabled')}
        empty={{ title: t('empty.title'), body: t('empty.body'), action: { label: t('add'), run: drawer.add } }}
        toolbar={<FilterBar fields={fields} list={list} refetch={query.refetch} describe={describe} />}
        filterTexts={list.active.flatMap((name) => describe(name, list.filter[name]) ?? [])}
        flashed={flashed}
      />
      <Suspense fallback={null}>
        {drawer.open && (
          <TokenDrawer
            key={drawer.id}
            id={drawer.id}
            onClose={drawer.close}
            onCreated={drawer.savedAfter(() => setPanel(true))}
            onSaved={drawer.savedAfter(setFlashed)}
          />
        )}
        {shown && <KeyDialog token={shown} keyOf={keyOf} onClose={close} />}
        {dialogs}
      </Suspense>
    </>
  );
}
