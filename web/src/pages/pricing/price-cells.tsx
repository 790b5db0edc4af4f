import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import Box from '@mui/material/Box';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../components/texts/copy-button.js';
import { Tag } from '../../components/texts/tag.js';
import type { PriceRow } from './price-rows.js';
import { price } from './price-rows.js';

/** The name as a button that copies it. */
export function ModelName({ name }: { name: string }) {
  const { copy, dialog } = useCopy();
  return (
    <>
      <Tag title={name} onClick={() => void copy(name, { key: 'copy.text', params: { text: name } })}>
        {name}
      </Tag>
      {dialog}
    </>
  );
}

export function BillingTag({ perCall }: { perCall: boolean }) {
  const { t } = useTranslation('pricing');
  return <Tag color={perCall ? 'teal' : 'violet'}>{t(perCall ? 'perCall' : 'perToken')}</Tag>;
}

export function Available() {
  const { t } = useTranslation('pricing');
  return (
    <CheckIcon titleAccess={t('available')} sx={{ fontSize: 18, color: 'success.main', verticalAlign: 'middle' }} />
  );
}

export interface GroupTagsProps {
  groups: string[];
  group: string;
  onGroup: (group: string) => void;
}

/** The groups of a model as buttons, or a text if the reader may use none of them. */
export function GroupTags({ groups, group, onGroup }: GroupTagsProps) {
  const { t } = useTranslation('pricing');
  if (groups.length === 0)
    return (
      <Box component="span" sx={{ color: 'text.secondary' }}>
        {t('unavailable')}
      </Box>
    );
  return (
    <>
      {groups.map((name) => (
        <Tag key={name} color="blue" title={t('viewGroup', { group: name })} onClick={() => onGroup(name)}>
          {name === group ? `✓ ${name}` : name}
        </Tag>
      ))}
    </>
  );
}

const MOST_GROUPS = 6;

/** The first groups of a model, for a card. The viewed group is always among those shown. */
export function CardGroups({ groups, group, onGroup }: GroupTagsProps) {
  const { t } = useTranslation('pricing');
  const [open, setOpen] = useState(false);
  const first = groups.filter((name, index) => open || index < MOST_GROUPS || name === group);
  const rest = groups.length - first.length;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5 }}>
      <GroupTags groups={first} group={group} onGroup={onGroup} />
      {rest > 0 && <Tag onClick={() => setOpen(true)}>{t('moreGroups', { count: rest })}</Tag>}
    </Box>
  );
}

export function PromptPrice({ row }: { row: PriceRow }) {
  const { t } = useTranslation('pricing');
  if (!row.priced)
    return (
      <Box component="span" title={row.refused ? t('refusedWhy') : undefined} sx={{ color: 'warning.main' }}>
        {t(row.refused ? 'refused' : 'unpriced')}
      </Box>
    );
  return t(row.perCall ? 'eachCall' : 'eachMillion', { price: price(row.prompt) });
}

export function CompletionPrice({ value }: { value: number }) {
  const { t } = useTranslation('pricing');
  return t('eachMillion', { price: price(value) });
}

export function NoRatio() {
  const { t } = useTranslation('pricing');
  return t('none');
}
