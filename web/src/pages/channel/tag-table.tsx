import EditIcon from '@mui/icons-material/EditOutlined';
import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { NavigateOptions } from 'react-router-dom';
import { useSearchParams } from 'react-router-dom';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch } from '../../app/store.js';
import { savedState } from '../../components/overlays/dirty-guard.js';
import { Cancelled, InlineNumber } from '../../components/forms/inline-number.js';
import { QuotaText } from '../../components/money/quota-text.js';
import type { ResourceTableProps } from '../../components/tables/resource-table.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import { foldColumns } from '../../components/tables/table-columns.js';
import type { RowAction } from '../../components/tables/table-types.js';
import { Tag, identityColor } from '../../components/texts/tag.js';
import { useConfirm } from '../../components/overlays/use-confirm.js';
import { overPage, useOverEntry } from '../../components/overlays/use-over-entry.js';
import { ChildTable } from './child-table.js';
import { BAD_NUMBER, BIG_NUMBER, GroupTags, ResponseTag, SMALL_NUMBER } from './channel-columns.js';
import type { TagRow } from './channel-facts.js';
import { toTagRows } from './channel-facts.js';
import { useSwitchTagMutation, useUpdateTagMutation } from '../../api/channel-tools.api.js';
import { TagDrawer } from './tag-drawer.js';
import { MAX_CHANNEL_NUMBER } from '@tollgate/contracts/channel-settings';
import type { Channel } from '@tollgate/contracts/api/channel';

/** The priority or weight of a tag. Saving sets it for all channels of the tag, so it is confirmed first. */
function TagNumber({ row, field }: { row: TagRow; field: 'priority' | 'weight' }) {
  const { t } = useTranslation('channel');
  const { confirm, dialog } = useConfirm();
  const [update] = useUpdateTagMutation();
  const ask = (value: number) =>
    new Promise<void>((resolve, reject) => {
      confirm({
        title: t(`tag.${field}`),
        consequences: [t('tag.numberBody', { tag: row.tag, value, count: row.channels.length })],
        confirm: { label: t('action.ok') },
        run: async () => {
          await update({ tag: row.tag, [field]: value }).unwrap();
          resolve();
        },
        onCancel: () => reject(new Cancelled()),
      });
    });
  return (
    <>
      <InlineNumber
        label={t(`inline.${field}`, { name: row.tag })}
        value={row[field]}
        min={field === 'priority' ? -999 : 0}
        max={MAX_CHANNEL_NUMBER}
        invalid={BAD_NUMBER[field]}
        tooSmall={SMALL_NUMBER[field]}
        tooLarge={BIG_NUMBER[field]}
        onSave={ask}
      />
      {dialog}
    </>
  );
}

const ACTIONS_PX = 192;

export const tagColumns = foldColumns<TagRow>(
  [
    {
      id: 'name',
      header: 'channel:column.name',
      width: 'grow',
      least: 148,
      mobile: 'title',
      cell: ({ tag }) => <TagName tag={tag} />,
    },
    {
      id: 'status',
      header: 'channel:column.status',
      width: 170,
      least: 130,
      mobile: 'badge',
      cell: (row) => <TagStatus row={row} />,
    },
    {
      id: 'group',
      header: 'channel:column.group',
      width: 130,
      least: 96,
      cell: ({ groups }) => <GroupTags groups={groups} />,
    },
    { id: 'type', header: 'channel:column.type', width: 96, least: 76, cell: () => <TagKind /> },
    {
      id: 'response',
      header: 'channel:column.response',
      width: 110,
      least: 84,
      mobile: 'field',
      cell: ({ responseTime, testFailed }) => <ResponseTag ms={responseTime} failed={testFailed} />,
    },
    {
      id: 'used',
      header: 'channel:column.used',
      width: 120,
      least: 92,
      align: 'right',
      mobile: 'field',
      cell: ({ usedQuota }) => <QuotaText quota={usedQuota} />,
    },
    {
      id: 'priority',
      header: 'channel:column.priority',
      width: 84,
      align: 'right',
      cell: (row) => <TagNumber row={row} field="priority" />,
    },
    {
      id: 'weight',
      header: 'channel:column.weight',
      width: 84,
      align: 'right',
      cell: (row) => <TagNumber row={row} field="weight" />,
    },
  ],
  ['response', 'used', 'group', 'priority', 'weight', 'type'],
  { beside: ACTIONS_PX, opens: true },
);

/** What such a row is, where a channel has its type. */
function TagKind() {
  const { t } = useTranslation('channel');
  return <Tag>{t('tag.kind')}</Tag>;
}

function TagName({ tag }: { tag: string }) {
  const { t } = useTranslation('channel');
  return (
    <Stack
      component="span"
      direction="row"
      spacing={0.5}
      sx={{ alignItems: 'center', display: 'inline-flex', maxWidth: '100%' }}
    >
      <span>{t('tag.label')}</span>
      <Tag color={identityColor(tag)} title={tag}>
        {tag}
      </Tag>
    </Stack>
  );
}

function TagStatus({ row: { enabled, channels } }: { row: TagRow }) {
  const { t } = useTranslation('channel');
  return (
    <Box component="span" sx={{ color: enabled === 0 ? 'warning.main' : undefined }}>
      {t('tag.counts', { enabled, total: channels.length })}
    </Box>
  );
}

function useTagActions(onEdit: (row: TagRow) => void) {
  const { t } = useTranslation('channel');
  const dispatch = useAppDispatch();
  const [turn] = useSwitchTagMutation();
  const set = async (tag: string, on: boolean) => {
    const reply = await turn({ tag, on });
    if (!reply.error) dispatch(toastShown({ severity: 'success', key: 'done.action' }));
  };
  return (row: TagRow): RowAction[] => [
    { id: 'edit', label: t('tag.edit'), icon: <EditIcon sx={{ fontSize: 18 }} />, run: () => onEdit(row) },
    {
      id: 'enable',
      label: t('tag.enableAll'),
      run: () => void set(row.tag, true),
      disabledReason: row.enabled === row.channels.length ? t('tag.allEnabled') : undefined,
    },
    { id: 'disable', label: t('tag.disableAll'), run: () => void set(row.tag, false) },
  ];
}

/**
 * Tags have no id and their position changes between pages. A channel has at most one tag, so the lowest channel id
 * identifies the tag.
 */
const idOf = ({ channels }: TagRow): number => Math.min(...channels.map(({ id }) => id));

/**
 * The open drawer has an address, `?edit=<tag>`, so that it opens again after a login. It stays open when its tag leaves
 * the rows, because others may rename the tag or its channels.
 */
function useEditedTag(rows: TagRow[]) {
  const [params, setParams] = useSearchParams();
  const entry = useOverEntry();
  const name = params.get('edit');
  const opened = useRef<TagRow>(undefined);
  opened.current = name === null ? undefined : (rows.find(({ tag }) => tag === name) ?? opened.current);
  const put = (tag: string | undefined, options: NavigateOptions) =>
    setParams((now) => {
      const next = new URLSearchParams(now);
      if (tag === undefined) next.delete('edit');
      else next.set('edit', tag);
      return next;
    }, options);
  return {
    edited: opened.current?.tag === name ? opened.current : undefined,
    edit: (tag: string) => put(tag, { state: overPage }),
    close: () => entry.leave(() => put(undefined, { replace: true })),
    saved: () => entry.leave(() => put(undefined, { replace: true, state: savedState }), { saved: true }),
  };
}

/**
 * View settings, which exclude no rows. They do not count as active filters, or an empty list would offer to clear them
 * although that would find nothing.
 */
const VIEW: ReadonlySet<string> = new Set(['tags', 'sort']);

type Shared = Pick<ResourceTableProps<Channel>, 'query' | 'list' | 'toolbar' | 'filterTexts' | 'rowActions'>;

/** Channels grouped by tag; a row expands to its channels. */
export function TagTable({ query, list, toolbar, filterTexts, rowActions }: Shared) {
  const { t } = useTranslation('channel');
  const rows = useMemo(() => toTagRows(query.data?.items ?? []), [query.data]);
  const { edited, edit, close, saved } = useEditedTag(rows);
  const actionsOf = useTagActions(({ tag }) => edit(tag));
  return (
    <>
      <ResourceTable
        id="channel-tags"
        label={t('tag.mode')}
        columns={tagColumns}
        rowId={idOf}
        rowName={({ tag }) => tag}
        query={{ ...query, data: query.data && { items: rows, total: query.data.total } }}
        list={{ ...list, active: list.active.filter((name) => !VIEW.has(name)) }}
        rowActions={actionsOf}
        actionsWidth={ACTIONS_PX}
        expand={(row) => <ChildTable channels={row.channels} rowActions={rowActions} />}
        empty={{ title: t('tag.none'), body: t('tag.noneBody') }}
        toolbar={toolbar}
        filterTexts={filterTexts}
      />
      {edited && <TagDrawer key={edited.tag} row={edited} onClose={close} onSaved={saved} />}
    </>
  );
}
