import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useOneAtATime } from '../../components/basics/use-one-at-a-time.js';
import type { FilterField } from '../../components/filters/use-filter-draft.js';
import { FilterBar } from '../../components/filters/filter-bar.js';
import type { Filter, ListState } from '../../components/tables/list-state.js';
import type { ResourceTableProps } from '../../components/tables/resource-table.js';
import { ResourceTable } from '../../components/tables/resource-table.js';
import type { TableQuery } from '../../components/tables/table-types.js';
import { useFilterWords } from '../../components/filters/use-filter-words.js';

/** Both lists show current events, so they are fetched again every 15 seconds while the window has the focus. */
export const polling = { pollingInterval: 15_000, skipPollingIfUnfocused: true };

/** When a list was last fetched, how to fetch it again, and how to export all rows that match its filters. */
export interface Freshness {
  at?: number;
  refetch: () => unknown;
  write: () => void;
  writing: boolean;
}

export interface SectionProps {
  /** Reports to the page header, which stays mounted while the lists change. */
  onFresh: (freshness: Freshness) => void;
}

type TableProps<Row> = Omit<ResourceTableProps<Row>, 'label' | 'empty' | 'list' | 'query'>;
interface AuditTableProps<Row, F extends Filter> extends TableProps<Row>, SectionProps {
  query: TableQuery<Row> & { fulfilledTimeStamp?: number };
  kind: 'changes' | 'refused';
  list: ListState<F>;
  fields: FilterField<F>[];
  /** Downloads the export; resolves when the file is complete. */
  onExport: () => Promise<unknown>;
}

/** One list of the page with its filters. The export button is in the page header. */
export function AuditTable<Row, F extends Filter>(props: AuditTableProps<Row, F>) {
  const { kind, list, fields, onExport, onFresh, ...table } = props;
  const { t } = useTranslation('audit');
  const { fulfilledTimeStamp: at, refetch } = table.query;
  const { start, busy: writing } = useOneAtATime(onExport);
  const write = useRef(start);
  useEffect(() => {
    write.current = start;
  });
  useEffect(() => onFresh({ at, refetch, write: () => write.current(), writing }), [at, refetch, writing, onFresh]);
  const describe = useFilterWords(fields);
  return (
    <ResourceTable
      {...table}
      label={t(`tab.${kind}`)}
      list={list}
      density="compact"
      empty={{ title: t(`empty.${kind}`), body: t(`empty.${kind}Body`) }}
      toolbar={<FilterBar fields={fields} list={list} refetch={refetch} describe={describe} />}
      filterTexts={list.active.flatMap((name) => describe(name, list.filter[name] ?? '') ?? [])}
    />
  );
}
