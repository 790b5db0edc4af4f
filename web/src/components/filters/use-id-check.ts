import { useTranslation } from 'react-i18next';

/** An id as the address of a list has it: ids are int4, and ten digits hold each of them. */
export const idOrNone = /^\d{0,10}$/;

/** What is wrong with a filter by id; whatever passes is also taken from the address. */
export function useIdCheck(): (text: string) => string | undefined {
  const { t } = useTranslation();
  return (text) => (idOrNone.test(text) ? undefined : t('form.digits'));
}
