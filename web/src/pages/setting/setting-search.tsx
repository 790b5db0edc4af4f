import SearchIcon from '@mui/icons-material/Search';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import type { OptionKey } from '@tollgate/contracts/options/index';
import type { KeyboardEvent } from 'react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../components/forms/field.js';
import { matching } from '../../components/basics/matching.js';
import type { SettingEntry } from './setting-entries.js';
import { loadSettingEntries } from './setting-entries.js';

const MOST = 8;

const list = {
  position: 'absolute',
  inset: '100% 0 auto 0',
  mt: 0.5,
  p: 0.5,
  listStyle: 'none',
  bgcolor: 'background.raised',
  border: '1px solid',
  borderColor: 'border.subtle',
  borderRadius: '8px',
  boxShadow: '0 8px 24px var(--tg-shadow-float)',
  zIndex: 10,
} as const;

function useEntries(active: boolean): SettingEntry[] {
  // The entries carry labels in the current language, so they are loaded again when it changes.
  const language = useTranslation().i18n.language;
  const [entries, setEntries] = useState<SettingEntry[]>([]);
  useEffect(() => {
    if (active) void loadSettingEntries().then(setEntries, () => undefined);
  }, [active, language]);
  return entries;
}

function Found({ entries, onChoose }: { entries: SettingEntry[]; onChoose: (entry: SettingEntry) => void }) {
  const { t } = useTranslation('setting');
  return (
    <Box component="ul" aria-label={t('search.results')} sx={list}>
      {entries.map((entry) => (
        <li key={entry.key}>
          <Button
            fullWidth
            color="inherit"
            onClick={() => onChoose(entry)}
            sx={{ justifyContent: 'space-between', gap: 1, fontWeight: 400, textAlign: 'left' }}
          >
            <span>{entry.name}</span>
            <Box component="span" sx={{ typography: 'caption', color: 'text.tertiary', flexShrink: 0 }}>
              {entry.tab}
            </Box>
          </Button>
        </li>
      ))}
      {entries.length === 0 && (
        <Box component="li" sx={{ p: 1, color: 'text.secondary' }}>
          {t('search.none')}
        </Box>
      )}
    </Box>
  );
}

/** Searches options by part of their label, in either language, or of their key. Enter opens the first match. */
export function SettingSearch({ onFound }: { onFound: (key: OptionKey) => void }) {
  const { t } = useTranslation('setting');
  const [text, setText] = useState('');
  const [active, setActive] = useState(false);
  const entries = useEntries(active);
  const wanted = text.trim();
  const found = matching(entries, text).slice(0, MOST);
  const go = (entry: SettingEntry | undefined) => {
    if (!entry) return;
    setText('');
    onFound(entry.key);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // During an IME composition Enter accepts characters.
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) go(found[0]);
    if (event.key === 'Escape') setText('');
  };
  return (
    <Box role="search" sx={{ position: 'relative', width: { xs: '100%', sm: 320 } }}>
      <Field
        label={t('search.label')}
        placeholder={t('search.hint')}
        value={text}
        onFocus={() => setActive(true)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        end={<SearchIcon sx={{ fontSize: 18, mx: 0.5, color: 'text.tertiary' }} />}
        autoComplete="off"
      />
      {wanted !== '' && <Found entries={found} onChoose={go} />}
    </Box>
  );
}
