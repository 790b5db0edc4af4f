import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useSay } from '../../app/i18n/text-keys.js';
import { hintCut } from '../../components/basics/cut-hint.js';
import { CheckBox } from '../../components/forms/check-box.js';
import { columnLayout } from '../../components/tables/table-columns.js';
import { TableFrame } from '../../components/tables/table-style.js';
import type { Column } from '../../components/tables/table-types.js';
import { useRowWindow } from '../../components/tables/window-rows.js';
import type { PriceRow } from './price-rows.js';

export interface PriceView {
  rows: PriceRow[];
  columns: Column<PriceRow>[];
  selected: ReadonlySet<string>;
  onSelect: (names: string[], on: boolean) => void;
}

export const ROW_HEIGHT = 44;
const CHECK_PX = 44;

const classOf = ({ id, align }: Column<PriceRow>): string | undefined => (id === 'name' ? 'first' : align);

function Row({ row, index, view }: { row: PriceRow; index: number; view: PriceView }) {
  const { t } = useTranslation('pricing');
  const chosen = view.selected.has(row.name);
  return (
    <tr aria-rowindex={index + 2} aria-selected={chosen}>
      <td className="check">
        <CheckBox
          checked={chosen}
          onToggle={() => view.onSelect([row.name], !chosen)}
          label={t('table.selectRow', { name: row.name })}
        />
      </td>
      {view.columns.map((column) => {
        const Cell = column.id === 'name' ? 'th' : 'td';
        return (
          <Cell
            key={column.id}
            scope={Cell === 'th' ? 'row' : undefined}
            className={classOf(column)}
            title={column.text?.(row)}
          >
            {column.cell(row)}
          </Cell>
        );
      })}
    </tr>
  );
}

function Head({ view, widths }: { view: PriceView; widths: (string | undefined)[] }) {
  const { t } = useTranslation('pricing');
  const say = useSay();
  const { rows, columns, selected, onSelect } = view;
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
        {columns.map((column, index) => (
          <th
            key={column.id}
            scope="col"
            className={classOf(column)}
            style={{ width: widths[index] }}
            title={say(column.header)}
          >
            {say(column.header)}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const Space = ({ height, span }: { height: number; span: number }) =>
  height > 0 ? (
    <tr aria-hidden style={{ height }}>
      <td colSpan={span} style={{ padding: 0, border: 0 }} />
    </tr>
  ) : null;

/** All models in one virtualized table: only the rows in view are rendered. */
export function PriceTable({ view, label }: { view: PriceView; label: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const { rows, columns } = view;
  const { from, to, before, after } = useRowWindow(frame, rows.length, ROW_HEIGHT);
  const { minimum, widths, padding } = columnLayout(columns, CHECK_PX);
  const span = columns.length + 1;
  return (
    <TableFrame data-fill="page">
      <div className="scroll" ref={frame} tabIndex={0} role="region" aria-label={label}>
        <table
          aria-label={label}
          aria-rowcount={rows.length + 1}
          data-hint
          onMouseOver={hintCut}
          onFocus={hintCut}
          style={{
            minWidth: minimum,
            ['--row-height' as string]: `${ROW_HEIGHT}px`,
            ['--cell-padding' as string]: padding,
          }}
        >
          <Head view={view} widths={widths} />
          <tbody>
            <Space height={before} span={span} />
            {rows.slice(from, to).map((row, index) => (
              <Row key={row.name} row={row} index={from + index} view={view} />
            ))}
            <Space height={after} span={span} />
          </tbody>
        </table>
      </div>
    </TableFrame>
  );
}
