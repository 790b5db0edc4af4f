import { useTranslation } from 'react-i18next';
import { useCopy } from './copy-button.js';
import { Tag } from './tag.js';
import type { TagColor } from '../../app/palette.js';

const known = new Map<string, TagColor>([
  ['vip', 'yellow'],
  ['pro', 'yellow'],
  ['svip', 'red'],
  ['premium', 'red'],
]);

/** The name of a group; an empty name means the user's own group. A click copies it. */
export function GroupTag({ group }: { group: string }) {
  const { t } = useTranslation();
  const { copy, dialog } = useCopy();
  if (group === '') return <Tag title={t('group.own')}>{t('group.ownShort')}</Tag>;
  return (
    <>
      <Tag
        color={known.get(group)}
        title={group}
        onClick={() => void copy(group, { key: 'copy.text', params: { text: group } })}
      >
        {group}
      </Tag>
      {dialog}
    </>
  );
}
