import CheckIcon from '@mui/icons-material/CheckCircleOutlined';
import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../components/forms/check-box.js';
import { useCopy } from '../../components/texts/copy-button.js';
import { hintCut } from '../../components/basics/cut-hint.js';
import { TableFrame } from '../../components/tables/table-style.js';
import { Tag } from '../../components/texts/tag.js';
import { useRowWindow } from '../../components/tables/window-rows.js';
import type { PriceRow } from './price-rows.js';
import { price, ratio } from './price-rows.js';

export interface PriceView {
  rows: PriceRow[];
  group: string;
  selected: ReadonlySet<string>;
  onSelect: (names: string[], on: boolean) => void;
  onGroup: (group: string) => void;
}

export const ROW_HEIGHT = 44;

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

export function Available({ available }: { available: boolean }) {
  const { t } = useTranslation('pricing');
  if (!available) return null;
  return (
    <CheckIcon titleAccess={t('available')} sx={{ fontSize: 18, color: 'success.main', verticalAlign: 'middle' }} />
  );
}

interface GroupTagsProps {
  groups: string[];
  group: string;
  onGroup: (group: string) => void;
}

/** The groups of a model as buttons; words where the reader may use none of them. */
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

export function PromptPrice({ row }: { row: PriceRow }) {
  const { t } = useTranslation('pricing');
  if (!row.priced)
    return (
      <Box component="span" sx={{ color: 'warning.main' }}>
        {t('unpriced')}
      </Box>
    );
  return t(row.perCall ? 'eachCall' : 'eachMillion', { price: price(row.prompt) });
}

export function CompletionPrice({ row }: { row: PriceRow }) {
  const { t } = useTranslation('pricing');
  return row.priced && row.completion !== undefined ? t('eachMillion', { price: price(row.completion) }) : null;
}

function Row({ row, index, view }: { row: PriceRow; index: number; view: PriceView }) {
  const { t } = useTranslation('pricing');
  const chosen = view.selected.has(row.name);
  const none = row.perCall ? t('none') : undefined;
  return (
    <tr aria-rowindex={index + 2} aria-selected={chosen}>
      <td className="check">
        <CheckBox
          checked={chosen}
          onToggle={() => view.onSelect([row.name], !chosen)}
          label={t('table.selectRow', { name: row.name })}
        />
      </td>
      <th scope="row" className="first">
        <ModelName name={row.name} />
      </th>
      <td>
        <Available available={row.available} />
      </td>
      <td>
        <BillingTag perCall={row.perCall} />
      </td>
      <td>
        <Stack direction="row" spacing={0.5} sx={{ display: 'inline-flex' }} title={row.groups.join(', ')}>
          <GroupTags groups={row.groups} group={view.group} onGroup={view.onGroup} />
        </Stack>
      </td>
      <td className="right">{none ?? (row.priced ? ratio(row.modelRatio) : '—')}</td>
      <td className="right">{none ?? (row.priced ? ratio(row.completionRatio) : '—')}</td>
      <td className="right">{ratio(row.groupRatio)}</td>
      <td className="right">
        <PromptPrice row={row} />
      </td>
      <td className="right">
        <CompletionPrice row={row} />
      </td>
    </tr>
  );
}

const columns = [
  ['name', undefined, 'first'],
  ['available', 88, undefined],
  ['type', 112, undefined],
  ['groups', 128, undefined],
  ['modelRatio', 98, 'right'],
  ['completionRatio', 108, 'right'],
  ['groupRatio', 98, 'right'],
  ['prompt', 150, 'right'],
  ['completion', 150, 'right'],
] as const;

function Head({ view }: { view: PriceView }) {
  const { t } = useTranslation('pricing');
  const { rows, selected, onSelect } = view;
  const chosen = rows.filter(({ name }) => selected.has(name)).length;
  const all = rows.length > 0 && chosen === rows.length;
  return (
    <thead>
      <tr>
        <th scope="col" className="check">
          <CheckBox
            checked={all}
            indeterminate={chosen > 0 && !all}
            onToggle={() =>
              onSelect(
                rows.map(({ name }) => name),
                !all,
              )
            }
            label={t('table.all')}
          />
        </th>
        {columns.map(([id, width, className]) => (
          <th key={id} scope="col" className={className} style={{ width }} title={t(`column.${id}`)}>
            {t(`column.${id}`)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const Space = ({ height }: { height: number }) =>
  height > 0 ? (
    <tr aria-hidden style={{ height }}>
      <td colSpan={10} style={{ padding: 0, border: 0 }} />
    </tr>
  ) : null;

/** All models on one page; rows out of view are not drawn. */
export function PriceTable({ view, label }: { view: PriceView; label: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const { from, to, before, after } = useRowWindow(frame, view.rows.length, ROW_HEIGHT);
  return (
    <TableFrame data-fill="page">
      <div className="scroll" ref={frame} tabIndex={0} role="region" aria-label={label}>
        <table
          aria-label={label}
          aria-rowcount={view.rows.length + 1}
          data-hint
          onMouseOver={hintCut}
          onFocus={hintCut}
          style={{ minWidth: 1188, ['--row-height' as string]: `${ROW_HEIGHT}px` }}
        >
          <Head view={view} />
          <tbody>
            <Space height={before} />
            {view.rows.slice(from, to).map((row, index) => (
              <Row key={row.name} row={row} index={from + index} view={view} />
            ))}
            <Space height={after} />
          </tbody>
        </table>
      </div>
    </TableFrame>
  );
}
