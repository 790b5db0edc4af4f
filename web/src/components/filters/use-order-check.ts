import { useTranslation } from 'react-i18next';

/** Times of a filter as texts of Unix seconds; '' and '0' are no limit. */
interface FilterTimes {
  start_timestamp: string;
  end_timestamp: string;
}

/** Validates the two times of a filter: both fields say that the end is before the start. */
export function useOrderCheck(): (text: string, filter: FilterTimes) => string | undefined {
  const { t } = useTranslation();
  return (_, { start_timestamp: start, end_timestamp: end }) => {
    const [from, to] = [Number(start), Number(end)];
    return from > 0 && to > 0 && from > to ? t('time.order') : undefined;
  };
}
