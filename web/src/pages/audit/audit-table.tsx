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

/** Both lists are about now. */
export const lookAgain = { pollingInterval: 15_000, skipPollingIfUnfocused: true };

/** When a list was answered last, how to ask again, and how to write all that it matches into a file. */
export interface Freshness {
  at?: number;
  refetch: () => unknown;
  write: () => void;
  writing: boolean;
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
  /** Writes the file; ends when it is there. */
  onExport: () => Promise<unknown>;
}

/** A list of the page: filters that say what they are. Its file is asked for in the head of the page. */
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
      filterText={list.active.flatMap((name) => describe(name, list.filter[name] ?? '') ?? []).join(', ')}
    />
  );
}
