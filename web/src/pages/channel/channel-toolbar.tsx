import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { ChannelCounts } from '@tollgate/contracts/api/channel';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { useListGroupNamesQuery } from '../../api/catalogue.api.js';
import { ID_SORT_KEY } from '../../app/slices/preferences.js';
import { writeStored } from '../../app/stored.js';
import type { FilterField } from '../../components/filter-bar.js';
import { FilterBar } from '../../components/filter-bar.js';
import type { ListState } from '../../components/list-state.js';
import { SwitchButton } from '../../components/switch-button.js';
import type { ChannelFilter } from '../../api/channel.api.js';

const statuses = [
  ['all', ''],
  ['enabled', String(ChannelStatus.enabled)],
  ['auto_disabled', String(ChannelStatus.autoDisabled)],
  ['disabled', String(ChannelStatus.disabled)],
] as const;

/** Which channels do not serve right now: the counts answer before anything is clicked. */
function StatusTabs({ list, counts }: { list: ListState<ChannelFilter>; counts?: ChannelCounts }) {
  const { t } = useTranslation('channel');
  return (
    <Stack direction="row" spacing={0.5} role="group" aria-label={t('column.status')} sx={{ overflowX: 'auto' }}>
      {statuses.map(([key, value]) => {
        const on = list.filter.status === value;
        const alarming = key === 'auto_disabled' && (counts?.auto_disabled ?? 0) > 0;
        return (
          <Button
            key={key}
            size="small"
            aria-pressed={on}
            color={alarming ? 'warning' : on ? 'primary' : 'inherit'}
            variant={on ? 'outlined' : 'text'}
            onClick={() => list.apply({ status: value })}
            sx={{ minHeight: 28, px: 1, py: 0, flexShrink: 0 }}
          >
            {t(`count.${key}`)} {counts?.[key] ?? '—'}
          </Button>
        );
      })}
    </Stack>
  );
}

export function useChips() {
  const { t } = useTranslation('channel');
  return (name: keyof ChannelFilter, value: string): string | undefined => {
    if (name === 'sort' || name === 'tags' || name === 'status')
      return name === 'status' ? t(`chip.status.${value as '1' | '2' | '3'}`) : undefined;
    return t(`chip.${name}`, { value });
  };
}

interface ChannelToolbarProps {
  list: ListState<ChannelFilter>;
  counts?: ChannelCounts;
  refetch: () => unknown;
  describe: (name: keyof ChannelFilter, value: string) => string | undefined;
}

export function ChannelToolbar({ list, counts, refetch, describe }: ChannelToolbarProps) {
  const { t } = useTranslation('channel');
  const { data: groups = [] } = useListGroupNamesQuery();
  const fields: FilterField<ChannelFilter>[] = [
    { name: 'keyword', kind: 'text', label: t('search.keyword'), placeholder: t('search.keywordHint'), width: 220 },
    { name: 'model', kind: 'text', label: t('search.model'), placeholder: t('search.modelHint'), width: 150 },
    {
      name: 'group',
      kind: 'select',
      label: t('search.group'),
      width: 130,
      options: [{ value: '', label: t('search.allGroups') }, ...groups.map((name) => ({ value: name, label: name }))],
    },
  ];
  const sortById = (on: boolean) => {
    writeStored(ID_SORT_KEY, String(on));
    list.apply({ sort: on ? 'id' : 'priority' });
  };
  return (
    <FilterBar
      fields={fields}
      list={list}
      refetch={refetch}
      describe={(name, value) => (name === 'status' ? undefined : describe(name, value))}
      before={<StatusTabs list={list} counts={counts} />}
    >
      <SwitchButton on={list.filter.sort === 'id'} onChange={sortById} label={t('idSort')} />
      <SwitchButton
        on={list.filter.tags === '1'}
        onChange={(on) => list.apply({ tags: on ? '1' : '' })}
        label={t('tag.mode')}
      />
    </FilterBar>
  );
}
