import AddIcon from '@mui/icons-material/Add';
import type { Channel } from '@tollgate/contracts/api/channel';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ID_SORT_KEY } from '../../app/slices/preferences.js';
import { useAppDispatch } from '../../app/store.js';
import { readStored } from '../../app/stored.js';
import type { FilterSpec } from '../../components/tables/list-state.js';
import { useListState } from '../../components/tables/list-state.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import type { RouteDrawer } from '../../components/overlays/use-route-drawer.js';
import { useRouteDrawer } from '../../components/overlays/use-route-drawer.js';
import {
  useBulkActions,
  useChannelChanges,
  useRowActions,
  useSelectedActions,
  useTagDialog,
} from './channel-actions.js';
import { ACTIONS_PX, channelColumns } from './channel-columns.js';
import type { ChannelContextValue } from './channel-context.js';
import { ChannelContext } from './channel-context.js';
import { ChannelToolbar, useChannelFilter } from './channel-toolbar.js';
import type { ChannelFilter } from '../../api/channel.api.js';
import { channelApi, useCountChannelsQuery, useListChannelsQuery } from '../../api/channel.api.js';
import { usePageActions } from './page-actions.js';
import { useChannelTests } from './use-channel-tests.js';
import type { ChoiceOf } from './health/choice-dialog.js';
import { useHealthAddress } from './health/use-health-address.js';
import { useLiveStates } from './use-live-states.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const ChannelDrawer = lazyPart(async () => (await import('./channel-drawer.js')).ChannelDrawer);
const TagTable = lazyPart(async () => (await import('./tag-table.js')).TagTable);
const TagDialog = lazyPart(async () => (await import('./tag-dialog.js')).TagDialog);
const TestDialog = lazyPart(async () => (await import('./test-dialog.js')).TestDialog);
const HealthDrawer = lazyPart(async () => (await import('./health/health-drawer.js')).HealthDrawer);
const ChoiceDialog = lazyPart(async () => (await import('./health/choice-dialog.js')).ChoiceDialog);
const WhyDialog = lazyPart(async () => (await import('./why-dialog.js')).WhyDialog);

type HealthAddress = ReturnType<typeof useHealthAddress>;

/** An address without a sort order gets the order that was chosen last. */
const filterSpec = (): FilterSpec<ChannelFilter> => ({
  defaults: {
    keyword: '',
    model: '',
    group: '',
    status: '',
    sort: readStored(ID_SORT_KEY) === 'true' ? 'id' : 'priority',
    tags: '',
  },
  accept: { status: /^[123]?$/, sort: /^(id|priority)$/, tags: /^1?$/ },
});
const spec = filterSpec();

interface OverlaysProps {
  tests: ChannelContextValue['tests'];
  changes: ReturnType<typeof useChannelChanges>;
  picked: Channel | undefined;
  why: Channel | undefined;
  tagged: ReturnType<typeof useTagDialog>;
  /** Absent: the dialog is closed. `of` is absent when it was opened from the page's menu and not for one channel. */
  choice: { of?: ChoiceOf } | undefined;
  health: HealthAddress;
  showChoice: (of: ChoiceOf | undefined) => void;
  rows: readonly Channel[];
  close: () => void;
}

function Overlays({ tests, changes, picked, why, tagged, choice, health, showChoice, rows, close }: OverlaysProps) {
  return (
    <Suspense fallback={null}>
      {picked && <TestDialog channel={picked} ask={tests.ask} onClose={close} />}
      {why && (
        <WhyDialog
          channel={why}
          onTest={() => void tests.test(why)}
          onEnable={() => void changes.setStatus(why, ChannelStatus.enabled)}
          onDisable={() => void changes.setStatus(why, ChannelStatus.disabled)}
          onHealth={() => health.show(why.id)}
          onClose={close}
        />
      )}
      {health.id !== undefined && (
        <HealthDrawer
          id={health.id}
          onTest={(channel) => void tests.test(channel)}
          onWhy={(id) => showChoice({ id, row: rows.find((row) => row.id === id) })}
          onClose={health.close}
        />
      )}
      {choice && <ChoiceDialog of={choice.of} onClose={close} />}
      {tagged.rows && <TagDialog rows={tagged.rows} onClose={tagged.close} />}
    </Suspense>
  );
}

function Drawer({
  drawer,
  onSaved,
}: {
  drawer: RouteDrawer;
  onSaved: (id: number | undefined, test: boolean) => void;
}) {
  if (!drawer.open) return null;
  return (
    <Suspense fallback={null}>
      <ChannelDrawer
        key={`${drawer.id}-${drawer.copyFrom}`}
        id={drawer.id}
        copyFrom={drawer.copyFrom}
        onClose={drawer.close}
        onSaved={onSaved}
      />
    </Suspense>
  );
}

/** State that the page shares with its dialogs and drawers. */
function usePage() {
  const tests = useChannelTests();
  const changes = useChannelChanges();
  const [picked, setPicked] = useState<Channel>();
  const [why, setWhy] = useState<Channel>();
  const tagged = useTagDialog();
  const [choice, setChoice] = useState<{ of?: ChoiceOf }>();
  const health = useHealthAddress();
  const showChoice = (of: ChoiceOf | undefined) => setChoice({ of });
  const row = useRowActions({
    tests,
    changes,
    pickModel: setPicked,
    showHealth: health.show,
    showChoice: (channel) => showChoice({ id: channel.id, row: channel }),
  });
  const bulk = useBulkActions({ tests, changes, setTag: tagged.open });
  const close = () => {
    setPicked(undefined);
    setWhy(undefined);
    setChoice(undefined);
  };
  const context: ChannelContextValue = {
    tests,
    showWhy: setWhy,
    updateBalance: changes.updateBalance,
    saveNumber: changes.saveNumber,
  };
  const overlays = { tests, changes, picked, why, tagged, choice, health, showChoice, close };
  return { tests, row, bulk, context, overlays };
}

export function ChannelPage() {
  const { t } = useTranslation('channel');
  const list = useListState('channel', spec);
  const query = useListChannelsQuery(list.request);
  useLiveStates(list.request, query.startedTimeStamp);
  const counts = useCountChannelsQuery().data;
  const drawer = useRouteDrawer('/channel');
  const { tests, row, bulk, context, overlays } = usePage();
  const selected = useSelectedActions(bulk.bulk, list.filter.tags === '1');
  const [flashed, setFlashed] = useState<number>();
  const actions = usePageActions({
    counts,
    showChoice: () => overlays.showChoice(undefined),
    selected: selected.entries,
  });
  const filter = useChannelFilter();
  const filterTexts = list.active.flatMap((name) => filter.describe(name, list.filter[name]) ?? []);
  const dispatch = useAppDispatch();
  // Fetches the counts again together with the rows.
  const askAgain = () => dispatch(channelApi.util.invalidateTags(['Channel']));
  const toolbar = <ChannelToolbar list={list} counts={counts} refetch={askAgain} filter={filter} />;
  const shared = { query, list, toolbar, filterTexts, rowActions: row.actionsOf };
  const add = { id: 'add', label: t('add'), icon: <AddIcon />, run: drawer.add };
  const onSaved = (id: number | undefined, test: boolean) => {
    setFlashed(id);
    drawer.saved();
    if (test && id !== undefined)
      void tests.test(query.data?.items.find((item) => item.id === id) ?? { id, name: `#${id}` });
  };
  return (
    <ChannelContext value={context}>
      <PageHeader
        title={t('title')}
        purpose={t('purpose')}
        primary={add}
        secondary={actions.actions}
        visibleSecondary={1}
        freshness={{ at: query.fulfilledTimeStamp, refetch: askAgain }}
      />
      {list.filter.tags === '1' ? (
        <Suspense fallback={null}>
          <TagTable {...shared} />
        </Suspense>
      ) : (
        <ResourceTable
          {...shared}
          id="channel"
          label={t('title')}
          columns={channelColumns}
          rowId={({ id }) => id}
          rowName={({ name }) => name}
          actionsWidth={ACTIONS_PX}
          bulk={bulk.bulk}
          onSelection={selected.onSelection}
          onOpen={({ id }) => drawer.edit(id)}
          tone={({ status }) => (status === ChannelStatus.enabled ? undefined : 'disabled')}
          empty={{ title: t('empty.title'), body: t('empty.body'), action: add }}
          flashed={flashed}
        />
      )}
      <Drawer drawer={drawer} onSaved={onSaved} />
      <Overlays {...overlays} rows={query.data?.items ?? []} />
      {row.dialog}
      {bulk.dialog}
      {actions.dialog}
    </ChannelContext>
  );
}
