import AddIcon from '@mui/icons-material/PersonAddOutlined';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router-dom';
import { useListGroupNamesQuery } from '../../api/catalogue.api.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { useFilterWords } from '../../components/filters/use-filter-words.js';
import { useRouteDrawer } from '../../components/overlays/use-route-drawer.js';
import { useUserActions } from './user-actions.js';
import { ACTIONS_PX, isCancelled, toneOf, userColumns } from './user-columns.js';
import type { UserFilter } from '../../api/user.api.js';
import { useListUsersQuery } from '../../api/user.api.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const UserDrawer = lazyPart(async () => (await import('./user-drawer.js')).UserDrawer);

const filterSpec: FilterSpec<UserFilter> = { defaults: { keyword: '', group: '' } };

function useFields(): FilterField<UserFilter>[] {
  const { t } = useTranslation('user');
  const { data: groups = [] } = useListGroupNamesQuery();
  const options = [
    { value: '', label: t('search.allGroups') },
    ...groups.map((name) => ({ value: name, label: name })),
  ];
  return [
    { name: 'keyword', kind: 'text', label: t('search.keyword'), placeholder: t('search.keywordHint'), width: 280 },
    { name: 'group', kind: 'select', label: t('search.group'), options, width: 160 },
  ];
}

export function UserPage() {
  const { t } = useTranslation('user');
  const list = useListState('user', filterSpec);
  const query = useListUsersQuery(list.request);
  const [flashed, setFlashed] = useState<number>();
  const { actionsOf, dialog } = useUserActions();
  const drawer = useRouteDrawer('/user');
  const fields = useFields();
  const describe = useFilterWords(fields);
  // The user's own profile, as for users who may not open this page.
  if (drawer.nameless) return <Navigate to="/personal" replace />;
  return (
    <>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        primary={{ id: 'add', label: t('add'), icon: <AddIcon />, run: drawer.add }}
        freshness={{ at: query.fulfilledTimeStamp, refetch: query.refetch }}
      />
      <ResourceTable
        id="user"
        label={t('title')}
        columns={userColumns}
        rowId={({ id }) => id}
        rowName={({ username }) => username}
        query={query}
        list={list}
        rowActions={actionsOf}
        actionsWidth={ACTIONS_PX}
        onOpen={(user) => !isCancelled(user) && drawer.edit(user.id)}
        tone={toneOf}
        empty={{ title: t('empty.title'), action: { label: t('add'), run: drawer.add } }}
        toolbar={<FilterBar fields={fields} list={list} refetch={query.refetch} describe={describe} />}
        filterTexts={list.active.flatMap((name) => describe(name, list.filter[name]) ?? [])}
        noMatchHint={t('search.fields')}
        flashed={flashed}
      />
      <Suspense fallback={null}>
        {drawer.open && (
          <UserDrawer key={drawer.id} id={drawer.id} onClose={drawer.close} onSaved={drawer.savedAfter(setFlashed)} />
        )}
        {dialog}
      </Suspense>
    </>
  );
}
