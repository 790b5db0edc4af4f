import { useTranslation } from 'react-i18next';

/** A dash for an unknown figure, instead of a misleading zero, with a text for screen readers. */
export function Unknown() {
  const { t } = useTranslation();
  return (
    <span role="img" aria-label={t('state.unknown')}>
      —
    </span>
  );
}
