import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import type { ChannelCounts } from '@tollgate/contracts/api/channel';
import { ChannelStatus } from '@tollgate/contracts/roles';
import { useTranslation } from 'react-i18next';
import { useListGroupNamesQuery } from '../../api/catalogue.api.js';
import { ID_SORT_KEY } from '../../app/slices/preferences.js';
import { writeStored } from '../../app/stored.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { useFilterWords } from '../../components/filters/use-filter-words.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import type { ListState } from '../../components/tables/list-state.js';
import { SwitchButton } from '../../components/forms/switch-button.js';
import type { ChannelFilter } from '../../api/channel.api.js';

const statuses = [
  ['all', ''],
  ['enabled', String(ChannelStatus.enabled)],
  ['auto_disabled', String(ChannelStatus.autoDisabled)],
  ['disabled', String(ChannelStatus.disabled)],
] as const;

/** The tabs stay on one line; on a phone they scroll sideways. The padding leaves room for the focus ring. */
const tabLine = {
  // 8px more than the container, because the negative margins on both sides take 4px each.
  flexBasis: 'calc(100% + 8px)',
  flexShrink: 0,
  maxWidth: 'calc(100% + 8px)',
  minWidth: 0,
  gap: { xs: 0, sm: 0.5 },
  mx: -0.5,
  p: 0.5,
  my: -0.5,
  overflowX: 'auto',
  scrollbarWidth: 'none',
} as const;

/** The states with their counts, so that channels which do not serve are visible without a click. */
function StatusTabs({ list, counts }: { list: ListState<ChannelFilter>; counts?: ChannelCounts }) {
  const { t } = useTranslation('channel');
  return (
    <Stack direction="row" role="group" aria-label={t('column.status')} sx={tabLine}>
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
            sx={{ minHeight: 28, minWidth: 0, px: { xs: 0.75, sm: 1 }, py: 0, flexShrink: 0, whiteSpace: 'nowrap' }}
          >
            {t(`count.${key}`)} {counts?.[key] ?? '—'}
          </Button>
        );
      })}
    </Stack>
  );
}

function useFields(): FilterField<ChannelFilter>[] {
  const { t } = useTranslation('channel');
  const { data: groups = [] } = useListGroupNamesQuery();
  return [
    { name: 'keyword', kind: 'text', label: t('search.keyword'), placeholder: t('search.keywordHint'), width: 248 },
    { name: 'model', kind: 'text', label: t('search.model'), placeholder: t('search.modelHint'), width: 150 },
    {
      name: 'group',
      kind: 'select',
      label: t('search.group'),
      width: 130,
      options: [{ value: '', label: t('search.allGroups') }, ...groups.map((name) => ({ value: name, label: name }))],
    },
  ];
}

/**
 * The filter fields and the texts for their values. The state has no field: it is set by the tabs above, which mark the
 * chosen one.
 */
export function useChannelFilter() {
  const { t } = useTranslation('channel');
  const fields = useFields();
  const wordsOf = useFilterWords(fields);
  const describe = (name: keyof ChannelFilter, value: string): string | undefined =>
    name === 'status' ? t(`chip.status.${value as '1' | '2' | '3'}`) : wordsOf(name, value);
  return { fields, wordsOf, describe };
}

interface ChannelToolbarProps {
  list: ListState<ChannelFilter>;
  counts?: ChannelCounts;
  refetch: () => unknown;
  filter: ReturnType<typeof useChannelFilter>;
}

export function ChannelToolbar({ list, counts, refetch, filter }: ChannelToolbarProps) {
  const { t } = useTranslation('channel');
  const sortById = (on: boolean) => {
    writeStored(ID_SORT_KEY, String(on));
    list.apply({ sort: on ? 'id' : 'priority' });
  };
  return (
    <>
      <StatusTabs list={list} counts={counts} />
      <FilterBar
        fields={filter.fields}
        list={list}
        refetch={refetch}
        describe={filter.wordsOf}
        views={
          <>
            <SwitchButton on={list.filter.sort === 'id'} onChange={sortById} label={t('idSort')} />
            <SwitchButton
              on={list.filter.tags === '1'}
              onChange={(on) => list.apply({ tags: on ? '1' : '' })}
              label={t('tag.mode')}
            />
          </>
        }
      />
    </>
  );
}
