import type { Drawing } from '@tollgate/contracts/api/task';
import { isAdmin } from '@tollgate/contracts/roles';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useListDrawingsQuery } from '../../api/task.api.js';
import { selectRole } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Callout } from '../../components/callout.js';
import { FilterBar } from '../../components/filter-bar.js';
import { lazyPart } from '../../components/lazy-part.js';
import { useListState } from '../../components/list-state.js';
import { PageHeader } from '../../components/page-header.js';
import { ResourceTable } from '../../components/resource-table.js';
import { useTaskFields } from '../../components/task-fields.js';
import { goesOn, LOOK_AGAIN_MS, taskFilter, useTaskRequest } from '../../components/task-list.js';
import { zoneName } from '../../components/time-format.js';
import type { Opened } from './drawing-columns.js';
import { drawingColumns, OpenContext } from './drawing-columns.js';

const PictureDialog = lazyPart(async () => (await import('./picture-dialog.js')).PictureDialog);
const TextDialog = lazyPart(async () => (await import('../../components/text-dialog.js')).TextDialog);

const filter = taskFilter('30d');

function OpenedPart({ opened: { drawing, part }, onClose }: { opened: Opened; onClose: () => void }) {
  const { t } = useTranslation('midjourney');
  const texts = { prompt: drawing.prompt, promptEn: drawing.prompt_en, reason: drawing.fail_reason };
  return (
    <Suspense fallback={null}>
      {part === 'picture' ? (
        <PictureDialog drawing={drawing} onClose={onClose} />
      ) : (
        <TextDialog title={t(`column.${part}`)} text={texts[part]} onClose={onClose} />
      )}
    </Suspense>
  );
}

/** Drawings, one's own or everybody's; live while one of them goes on and somebody looks. */
export function MidjourneyPage() {
  const { t } = useTranslation('midjourney');
  const all = isAdmin(useAppSelector(selectRole));
  const notifies = useAppSelector(selectStatus)?.mj_notify_enabled === true;
  const list = useListState('midjourney', filter);
  const { request, askAgain } = useTaskRequest(list, all);
  const [isLive, setLive] = useState(true);
  const drawings = useListDrawingsQuery(request, {
    pollingInterval: isLive ? LOOK_AGAIN_MS : 0,
    skipPollingIfUnfocused: true,
  });
  const live = goesOn(drawings.data?.items);
  if (live !== isLive) setLive(live);
  const columns = useMemo(() => drawingColumns(all), [all]);
  const [opened, setOpened] = useState<Opened>();
  const { fields, describe, active, range, wider } = useTaskFields(list, all);
  return (
    <OpenContext value={setOpened}>
      <PageHeader
        title={t('title')}
        purpose={t('purpose', { zone: zoneName() })}
        freshness={{ at: drawings.fulfilledTimeStamp, refetch: askAgain }}
      />
      {all && !notifies && (
        <Callout severity="info" sx={{ mb: 1.5, flexShrink: 0 }}>
          {t('banner')}
        </Callout>
      )}
      <ResourceTable<Drawing>
        id="midjourney"
        label={t('title')}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ mj_id: id }) => id}
        query={drawings}
        list={{ ...list, active }}
        density="compact"
        empty={{ title: t('empty.title', { range }), body: t('empty.body'), action: wider }}
        toolbar={<FilterBar fields={fields} list={list} refetch={askAgain} describe={describe} />}
        filterText={active.flatMap((name) => describe(name, list.filter[name]) ?? []).join(', ')}
      />
      {opened && <OpenedPart opened={opened} onClose={() => setOpened(undefined)} />}
    </OpenContext>
  );
}
