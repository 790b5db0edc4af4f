import { useTranslation } from 'react-i18next';
import { useIdCheck } from '../../components/filters/use-id-check.js';

/** Checks of filter texts that the server could not use; each returns the message for the field. */
export function useChecks() {
  const { t } = useTranslation('audit');
  const checkId = useIdCheck();
  const order = (_: string, all: { start_timestamp: string; end_timestamp: string }) => {
    const [from, to] = [Number(all.start_timestamp), Number(all.end_timestamp)];
    return from > 0 && to > 0 && from > to ? t('time.order') : undefined;
  };
  return { checkId, order };
}
