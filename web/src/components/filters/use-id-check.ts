import { useTranslation } from 'react-i18next';

/** Accepts an empty text or an id of at most ten digits: ids are int4. */
export const idOrNone = /^\d{0,10}$/;

/** Validates a filter by id; every text that passes is accepted from the address, too. */
export function useIdCheck(): (text: string) => string | undefined {
  const { t } = useTranslation();
  return (text) => (idOrNone.test(text) ? undefined : t('form.digits'));
}
