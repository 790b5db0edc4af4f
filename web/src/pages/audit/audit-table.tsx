import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { FilterField } from '../../components/filter-bar.js';
import { FilterBar } from '../../components/filter-bar.js';
import type { Filter, ListState } from '../../components/list-state.js';
import type { ResourceTableProps } from '../../components/resource-table.js';
import { ResourceTable } from '../../components/resource-table.js';
import type { TableQuery } from '../../components/table-types.js';
import { formatTime } from '../../components/time-format.js';
import { ExportButton } from './export-button.js';

/** Both lists are about now. */
export const lookAgain = { pollingInterval: 15_000, skipPollingIfUnfocused: true };

/** When a list was answered last, and how to ask again. */
export interface Freshness {
  at?: number;
  refetch: () => unknown;
}

export interface SectionProps {
  /** Tells the head of the page, which stays while its lists change. */
  onFresh: (freshness: Freshness) => void;
}

type TableProps<Row> = Omit<ResourceTableProps<Row>, 'label' | 'empty' | 'list' | 'query'>;
interface AuditTableProps<Row, F extends Filter> extends TableProps<Row>, SectionProps {
  query: TableQuery<Row> & { fulfilledTimeStamp?: number };
  kind: 'changes' | 'refused';
  list: ListState<F>;
  fields: FilterField<F>[];
  onExport: () => void;
}

/** A list of the page: filters that say what they are, and all that they match as a file. */
export function AuditTable<Row, F extends Filter>(props: AuditTableProps<Row, F>) {
  const { kind, list, fields, onExport, onFresh, ...table } = props;
  const { t } = useTranslation('audit');
  const { fulfilledTimeStamp: at, refetch } = table.query;
  useEffect(() => onFresh({ at, refetch }), [at, refetch, onFresh]);
  const describe = (name: keyof F & string, value: string): string =>
    t(`chip.${name as 'subject'}`, { value: name.endsWith('timestamp') ? formatTime(Number(value)) : value });
  return (
    <ResourceTable
      {...table}
      label={t(`tab.${kind}`)}
      list={list}
      density="compact"
      empty={{ title: t(`empty.${kind}`), body: t(`empty.${kind}Body`) }}
      toolbar={
        <FilterBar fields={fields} list={list} refetch={refetch} describe={describe}>
          <ExportButton onClick={onExport} />
        </FilterBar>
      }
      filterText={list.active.map((name) => describe(name, list.filter[name] ?? '')).join(', ')}
    />
  );
}
