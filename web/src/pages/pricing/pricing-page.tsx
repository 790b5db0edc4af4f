import HelpIcon from '@mui/icons-material/HelpOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import { skipToken } from '@reduxjs/toolkit/query';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router-dom';
import { selectUser } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { toastShown } from '../../app/slices/toasts.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { Callout } from '../../components/feedback/callout.js';
import { useCopy } from '../../components/texts/copy-button.js';
import { DeniableButton } from '../../components/feedback/deniable-button.js';
import { Field } from '../../components/forms/field.js';
import { PageHeader } from '../../components/layout/page-header.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { useQuotaScale } from '../../components/money/quota-text.js';
import { ErrorState, MessageState } from '../../components/feedback/states.js';
import { TableNoMatch, TableSkeleton } from '../../components/tables/table-states.js';
import { TableFrame } from '../../components/tables/table-style.js';
import { useNarrowerThan } from '../../components/basics/use-media.js';
import { ColumnButton } from '../../components/tables/column-button.js';
import { useColumns } from '../../components/tables/table-columns.js';
import { PriceCards } from './price-cards.js';
import { amountWidths, GROUPS_FROM, type GroupsWidth, PRICE_CARDS_BELOW, priceColumns } from './price-columns.js';
import { toPriceRows } from './price-rows.js';
import type { PriceView } from './price-table.js';
import { PriceTable, ROW_HEIGHT } from './price-table.js';
import type { PriceList } from '../../api/pricing.api.js';
import { useListPricingQuery } from '../../api/pricing.api.js';
import { settingOf, useGetSelfQuery } from '../../api/self.api.js';
import { lazyPart } from '../../components/basics/lazy-part.js';

const RatioHelp = lazyPart(async () => (await import('./ratio-help.js')).RatioHelp);
const DEFAULT_GROUP = 'default';

/** The group whose prices are shown: the user's own until another one is chosen. */
function useGroup(list: PriceList | undefined) {
  const user = useAppSelector(selectUser);
  const dispatch = useAppDispatch();
  const [params, setParams] = useSearchParams();
  const own = user?.group || DEFAULT_GROUP;
  const asked = params.get('group');
  const group = asked && list && Object.hasOwn(list.group_ratio, asked) ? asked : own;
  const choose = (name: string) => {
    setParams((now) => {
      const next = new URLSearchParams(now);
      if (name === own) next.delete('group');
      else next.set('group', name);
      return next;
    });
    dispatch(
      toastShown({
        severity: 'info',
        key: 'pricing:viewing',
        params: { group: name, ratio: list?.group_ratio[name] ?? 1 },
      }),
    );
  };
  return { own, group, choose, signedIn: user !== null };
}

/** The search text. During an IME composition it is not applied. */
function useKeyword() {
  const [params, setParams] = useSearchParams();
  const [text, setText] = useState(params.get('q') ?? '');
  const [composing, setComposing] = useState(false);
  const [keyword, setKeyword] = useState(text);
  const apply = (word: string) => {
    setKeyword(word);
    setParams(
      (now) => {
        const next = new URLSearchParams(now);
        if (word) next.set('q', word);
        else next.delete('q');
        return next;
      },
      { replace: true },
    );
  };
  const field = {
    value: text,
    onChange: (event: { target: { value: string } }) => {
      setText(event.target.value);
      if (!composing) apply(event.target.value);
    },
    onCompositionStart: () => setComposing(true),
    onCompositionEnd: (event: { currentTarget: { value: string } }) => {
      setComposing(false);
      apply(event.currentTarget.value);
    },
  };
  return { keyword, field, clear: () => (setText(''), apply('')) };
}

function Banners({ list, group }: { list: PriceList; group: ReturnType<typeof useGroup> }) {
  const { t } = useTranslation('pricing');
  const { perUnit } = useQuotaScale();
  const ownRatio = list.group_ratio[group.own] ?? 1;
  return (
    <Stack spacing={1} sx={{ mb: 1.5, flexShrink: 0 }}>
      {group.signedIn ? (
        <Callout severity="success">{t('banner.own', { group: group.own, ratio: ownRatio })}</Callout>
      ) : (
        <Callout severity="warning">{t('banner.visitor', { ratio: ownRatio })}</Callout>
      )}
      {group.group !== group.own && (
        <Callout severity="info">
          {t('viewing', { group: group.group, ratio: list.group_ratio[group.group] ?? 1 })}
        </Callout>
      )}
      <Callout severity="info">{t('banner.formula', { unit: formatUnits(perUnit) })}</Callout>
    </Stack>
  );
}

function useSelected() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const onSelect = (names: string[], on: boolean) => {
    const next = new Set(selected);
    for (const name of names) {
      if (on) next.add(name);
      else next.delete(name);
    }
    setSelected(next);
  };
  return { selected, onSelect };
}

interface ListProps {
  list: PriceList;
  group: ReturnType<typeof useGroup>;
}

interface Selecting {
  cards: boolean;
  /** Cards show checkboxes only while the reader selects. */
  selecting: boolean;
  onSelecting: (on: boolean) => void;
  selected: ReadonlySet<string>;
}

function CopySelected({ cards, selecting, onSelecting, selected }: Selecting) {
  const { t } = useTranslation('pricing');
  const { copy, dialog } = useCopy();
  return (
    <>
      {cards && (
        <Button color="inherit" aria-pressed={selecting} onClick={() => onSelecting(!selecting)}>
          {t('action.select')}
        </Button>
      )}
      {(!cards || selecting) && (
        <DeniableButton
          variant="outlined"
          denied={selected.size === 0 ? t('noneSelected') : undefined}
          onClick={() => void copy([...selected].join(','))}
        >
          {t('copySelected')}
        </DeniableButton>
      )}
      {dialog}
    </>
  );
}

function Help() {
  const { t } = useTranslation('pricing');
  const { perUnit } = useQuotaScale();
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button startIcon={<HelpIcon />} onClick={() => setOpen(true)}>
        {t('help.title')}
      </Button>
      {open && (
        <Suspense fallback={null}>
          <RatioHelp quotaPerUnit={perUnit} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Whether the reader may call models without a price: everybody in self-use mode, otherwise those who have chosen to. */
function useAcceptsUnpriced(signedIn: boolean): boolean {
  const { self_use_mode_enabled: selfUse = false } = useAppSelector(selectStatus);
  const { data: self } = useGetSelfQuery(signedIn ? undefined : skipToken);
  return selfUse || (self !== undefined && settingOf(self.setting).accept_unset_model_ratio_model === true);
}

function useRows({ list, group }: ListProps, keyword: string) {
  const { perUnit } = useQuotaScale();
  const acceptsUnpriced = useAcceptsUnpriced(group.signedIn);
  return useMemo(
    () => toPriceRows(list, { group: group.group, acceptsUnpriced, keyword, quotaPerUnit: perUnit }),
    [list, group.group, acceptsUnpriced, keyword, perUnit],
  );
}

function NoPrices({ none, keyword, clear }: { none: boolean; keyword: string; clear: () => void }) {
  const { t } = useTranslation('pricing');
  return (
    <TableFrame data-fill="page">
      {none ? (
        <MessageState state="empty" title={t('empty')} body={t('emptyBody')} />
      ) : (
        <TableNoMatch filters={[t('table.chip', { label: t('column.name'), value: keyword })]} onClear={clear} />
      )}
    </TableFrame>
  );
}

function useGroupsWidth(): GroupsWidth {
  const isTight = useNarrowerThan(GROUPS_FROM.plain);
  const isPlain = useNarrowerThan(GROUPS_FROM.ample);
  if (isTight) return 'tight';
  return isPlain ? 'plain' : 'ample';
}

function Prices({ list, group }: ListProps) {
  const { t } = useTranslation('pricing');
  const cards = useNarrowerThan(PRICE_CARDS_BELOW);
  const { selected, onSelect } = useSelected();
  const [selecting, setSelecting] = useState(false);
  const { keyword, field, clear } = useKeyword();
  const rows = useRows({ list, group }, keyword);
  const viewed = { group: group.group, onGroup: group.choose };
  const amounts = useMemo(() => amountWidths(rows), [rows]);
  const columns = useColumns('pricing', priceColumns(viewed, useGroupsWidth(), amounts), cards);
  const view: PriceView = { rows, columns: columns.visible, selected, onSelect };
  const Shown = cards ? PriceCards : PriceTable;
  return (
    <>
      <Stack
        direction="row"
        sx={{ mb: 1, pt: 1, gap: 1, flexWrap: 'wrap', flexShrink: 0, alignItems: 'center' }}
        role="search"
      >
        <Field label={t('search')} width={cards ? '100%' : 280} {...field} />
        <CopySelected cards={cards} selecting={selecting} onSelecting={setSelecting} selected={selected} />
        <Help />
        <Button component={Link} to="/udocs/popular-models">
          {t('nav.popularModels')}
        </Button>
        <span role="status">{t('table.total', { total: rows.length })}</span>
        {!cards && (
          <Box sx={{ ml: 'auto' }}>
            <ColumnButton columns={columns} />
          </Box>
        )}
      </Stack>
      {rows.length > 0 ? (
        <Shown view={view} label={t('title')} selecting={selecting} />
      ) : (
        <NoPrices none={list.data.length === 0} keyword={keyword} clear={clear} />
      )}
    </>
  );
}

export function PricingPage() {
  const { t } = useTranslation('pricing');
  const { data: list, error, refetch, fulfilledTimeStamp } = useListPricingQuery();
  const group = useGroup(list);
  return (
    <>
      <PageHeader title={t('title')} purpose={t('purpose')} freshness={{ at: fulfilledTimeStamp, refetch }} />
      {error && <ErrorState error={error} retry={() => void refetch()} />}
      {!list && !error && <TableSkeleton rows={10} height={ROW_HEIGHT} />}
      {list && <Banners list={list} group={group} />}
      {list && <Prices list={list} group={group} />}
    </>
  );
}
