import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { FilterField } from '../filters/use-filter-draft.js';
import type { ListState } from '../tables/list-state.js';
import type { TaskFilter } from './task-list.js';
import { useIdCheck } from '../filters/use-id-check.js';
import { useOrderCheck } from '../filters/use-order-check.js';
import { ranges } from '../filters/time-range.js';

/** Filter fields of a list of tasks, their texts, and the next step to offer if nothing matches: a longer range, or a first task. */
export function useTaskFields(list: ListState<TaskFilter>, all: boolean) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { filter } = list;
  const checkId = useIdCheck();
  const order = useOrderCheck();
  const times: FilterField<TaskFilter>[] = [
    { name: 'start_timestamp', kind: 'time', label: t('taskList.filter.start'), width: 212, check: order },
    { name: 'end_timestamp', kind: 'time', label: t('taskList.filter.end'), width: 212, check: order },
  ];
  const fields: FilterField<TaskFilter>[] = [
    {
      name: 'range',
      kind: 'select',
      label: t('taskList.filter.range'),
      width: 118,
      options: ranges.map((value) => ({ value, label: t(`taskList.range.${value}`) })),
    },
    ...(filter.range === 'custom' ? times : []),
    ...(all
      ? [{ name: 'channel', kind: 'text', label: t('taskList.filter.channel'), width: 100, check: checkId } as const]
      : []),
    { name: 'id', kind: 'text', label: t('taskList.filter.id'), width: 180 },
  ];
  const describe = (name: keyof TaskFilter, value: string): string | undefined =>
    name === 'id' || name === 'channel' ? t(`taskList.chip.${name}`, { value }) : undefined;
  const active = list.active.filter((name) => describe(name, filter[name]) !== undefined);
  const range = filter.range as 'today';
  const next =
    range === 'today' || (range as string) === '24h'
      ? { label: t('taskList.week'), run: () => list.apply({ range: '7d' }) }
      : { label: t('taskList.token'), run: () => void navigate('/token/add') };
  const asked = filter.range === 'custom' ? t('taskList.chosen') : t(`taskList.range.${range}`);
  return { fields, describe, active, range: asked, next };
}
