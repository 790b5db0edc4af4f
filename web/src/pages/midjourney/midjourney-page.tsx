import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useListDrawingsQuery } from '../../api/task.api.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';
import { Callout } from '../../components/feedback/callout.js';
import { taskFilter } from '../../components/tasks/task-list.js';
import { TaskLog, useTaskLog } from '../../components/tasks/task-log.js';
import { zoneName } from '../../components/basics/time-format.js';
import { drawingColumns, pictureOf } from './drawing-columns.js';

const filter = taskFilter('30d');

/** Drawings: the user's own, or for administrators those of all users. */
export function MidjourneyPage() {
  const { t } = useTranslation('midjourney');
  const log = useTaskLog('midjourney', filter);
  const rows = useListDrawingsQuery(log.request, log.polling);
  const notifies = useAppSelector(selectStatus)?.mj_notify_enabled === true;
  return (
    <TaskLog
      log={log}
      rows={rows}
      columns={useMemo(() => drawingColumns(log.all), [log.all])}
      nameOf={({ mj_id: id }) => id}
      cardActions={(drawing, open) =>
        drawing.image_url === ''
          ? []
          : [{ id: 'picture', label: t('picture.view'), run: () => open(pictureOf(drawing)) }]
      }
      words={{
        title: t('title'),
        purpose: t('purpose', { zone: zoneName() }),
        empty: (range) => t('empty.title', { range }),
        hint: t('empty.body'),
      }}
      banner={
        log.all &&
        !notifies && (
          <Callout severity="info" sx={{ mb: 1.5, flexShrink: 0 }}>
            {t('banner')}
          </Callout>
        )
      }
    />
  );
}
