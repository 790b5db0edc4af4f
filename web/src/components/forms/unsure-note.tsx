import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { Callout } from '../feedback/callout.js';

interface UnsureNoteProps {
  /** Whether the form may have been saved already, see `useDraft`. */
  unsure: boolean;
  /** Address of the page that shows what was saved. */
  list: string;
}

/** Warns that a form may have been saved already; the page that shows it opens in another tab, so that the form stays. */
export function UnsureNote({ unsure, list }: UnsureNoteProps) {
  const { t } = useTranslation();
  if (!unsure) return null;
  const look = (
    <Button size="small" component="a" href={list} target="_blank" rel="noopener" sx={{ flexShrink: 0, py: 0 }}>
      {t('form.openSaved')}
    </Button>
  );
  return (
    <Callout severity="warning" role="status" action={look}>
      {t('form.maybeSaved')}
    </Callout>
  );
}
