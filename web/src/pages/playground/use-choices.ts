import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useListOwnGroupsQuery, useListUserModelsQuery } from '../../api/catalogue.api.js';
import { selectUser } from '../../app/slices/session.js';
import { useAppSelector } from '../../app/store.js';
import type { Option } from '../../components/forms/native-field.js';
import type { Parameters } from './conversation.js';
import { groupsInOrder } from './conversation.js';
import { modelsByGroup, useListPricingQuery } from '../../api/pricing.api.js';

export interface Choices {
  groups: Option[];
  /** Models of the chosen group. */
  models: string[];
  loaded: boolean;
  /** Why there is nothing to choose from. */
  error?: unknown;
  retry: () => void;
}

/** Groups and models the user may use. An error is reported only while there is no data. */
function useOffers() {
  const groups = useListOwnGroupsQuery();
  const models = useListUserModelsQuery();
  const missing = [groups, models].filter(({ data }) => data === undefined);
  const retry = () => missing.forEach(({ refetch }) => void refetch());
  return { groups: groups.data, models: models.data, error: missing.find(({ error }) => error)?.error, retry };
}

/** The groups, with the user's own first, and the models that the chosen group may call. */
export function useChoices(value: Parameters, onChange: (change: Partial<Parameters>) => void): Choices {
  const { t } = useTranslation('playground');
  const own = useAppSelector(selectUser)?.group ?? '';
  const { groups, models, error, retry } = useOffers();
  const { data: prices } = useListPricingQuery();
  const byGroup = useMemo(() => prices && modelsByGroup(prices), [prices]);
  const names = groupsInOrder(Object.keys(groups ?? {}), own);
  // Without a group the request is of the user's own.
  const offered = (models ?? []).filter(
    (name) => !byGroup || value.group === '' || byGroup[value.group]?.includes(name),
  );

  const change = useRef(onChange);
  change.current = onChange;
  const first = names[0] ?? '';
  const chosen = value.group === '' || names.length === 0 || names.includes(value.group);
  useEffect(() => {
    if (groups && (value.group === '' || !chosen)) change.current({ group: first });
  }, [groups, first, chosen, value.group]);
  const known = offered.includes(value.model);
  // A group without models has none to name.
  const fallback = offered[0] ?? '';
  useEffect(() => {
    if (models && !known) change.current({ model: fallback });
  }, [models, known, fallback]);

  return {
    groups:
      names.length === 0
        ? [{ value: '', label: t('group.own') }]
        : names.map((name) => ({
            value: name,
            label: t('groupOption', { name, desc: groups?.[name]?.desc ?? '', ratio: groups?.[name]?.ratio ?? 1 }),
          })),
    models: offered,
    loaded: groups !== undefined && models !== undefined,
    ...{ error, retry },
  };
}
