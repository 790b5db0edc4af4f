import { useTranslation } from 'react-i18next';

/** Nobody knows: never zero, and a word for who does not see the dash. */
export function Unknown() {
  const { t } = useTranslation();
  return (
    <span role="img" aria-label={t('state.unknown')}>
      —
    </span>
  );
}
