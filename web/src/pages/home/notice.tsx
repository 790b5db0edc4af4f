import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readStored, writeStored } from '../../app/stored.js';
import { RichText } from '../../components/texts/rich-text.js';
import { useGetNoticeQuery } from '../../api/content.api.js';
import { Callout } from '../../components/feedback/callout.js';

const NOTICE_KEY = 'notice';

/** The operator's notice, hidden once the reader has closed this version of its text. */
export function Notice() {
  const { t } = useTranslation('home');
  const { data } = useGetNoticeQuery();
  const [seen, setSeen] = useState(() => readStored(NOTICE_KEY));
  if (!data || data === seen) return null;
  const close = () => {
    writeStored(NOTICE_KEY, data);
    setSeen(data);
  };
  return (
    <Callout severity="info" onClose={close} aria-label={t('notice')}>
      <RichText text={data} />
    </Callout>
  );
}
