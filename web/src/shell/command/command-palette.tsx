import SearchIcon from '@mui/icons-material/Search';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Dialog from '@mui/material/Dialog';
import InputAdornment from '@mui/material/InputAdornment';
import type { PopperProps } from '@mui/material/Popper';
import TextField from '@mui/material/TextField';
import { useColorScheme } from '@mui/material/styles';
import type { HTMLAttributes, ReactNode, SyntheticEvent } from 'react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { type Say, useSay } from '../../app/i18n/text-keys.js';
import { changeLanguage } from '../change-language.js';
import { selectUser } from '../../app/slices/session.js';
import { selectStatus } from '../../app/slices/status.js';
import { useAppDispatch, useAppSelector } from '../../app/store.js';
import { actionEntries, type Entry, found, pageEntries, requestEntries } from './entries.js';
import { type Recent, readRecent, remember } from '../../app/recent.js';
import { useFoundThings } from './use-found-things.js';
import { useSettingEntries } from './use-setting-entries.js';

const inline = {
  borderTop: '1px solid',
  borderColor: 'border.subtle',
  // The message for no match is below the list, in a live region.
  '& .MuiAutocomplete-noOptions': { display: 'none' },
} as const;

/** Renders the list inside the dialog instead of a popper above it. */
function Inline({ children }: PopperProps) {
  return <Box sx={inline}>{children as ReactNode}</Box>;
}

function EntryRow({ entry, ...row }: { entry: Entry } & HTMLAttributes<HTMLLIElement>) {
  return (
    <li {...row}>
      <Box component="span" sx={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
        {entry.name}
      </Box>
      {entry.note !== undefined && (
        <Box component="span" sx={{ ml: 2, flexShrink: 0, typography: 'caption', color: 'text.secondary' }}>
          {entry.note}
        </Box>
      )}
    </li>
  );
}

/** The entries that match the text, or those that were opened last if there is no text. */
function useEntries(text: string) {
  const say = useSay();
  const dispatch = useAppDispatch();
  const { setMode } = useColorScheme();
  const { id: user = 0, role = 0 } = useAppSelector(selectUser) ?? {};
  const status = useAppSelector(selectStatus);
  const settings = useSettingEntries(role);
  const { entries: things, isSearching, hasFailed } = useFoundThings(text, role);
  const changes = {
    light: () => setMode('light'),
    dark: () => setMode('dark'),
    system: () => setMode('system'),
    zh: () => void dispatch(changeLanguage('zh')),
    en: () => void dispatch(changeLanguage('en')),
  };
  const here = [...pageEntries(role, status, say), ...actionEntries(role, say, changes), ...settings];
  const entries =
    text.trim() === ''
      ? readRecent(user).map((recent): Entry => ({ ...recent, name: nameNow(recent, here, say), group: 'recent' }))
      : [...requestEntries(text, say), ...byGroup(found(here, text)), ...things];
  return { entries, isSearching, hasFailed };
}

/** A recent entry is named in the current language. Data such as channels, which is not among the entries, keeps its stored name. */
function nameNow({ id, name }: Recent, here: readonly Entry[], say: Say): string {
  const [kind, rest = ''] = id.split(/:(.*)/s);
  const same = kind === 'request' ? requestEntries(rest, say)[0] : here.find((entry) => entry.id === id);
  return same?.name ?? name;
}

const order = ['page', 'action', 'setting'];
const byGroup = (entries: Entry[]): Entry[] =>
  entries.toSorted((one, other) => order.indexOf(one.group) - order.indexOf(other.group));

/** Opens an entry; with Ctrl or ⌘ in a new tab. */
function useOpen(onClose: () => void) {
  const navigate = useNavigate();
  const user = useAppSelector(selectUser)?.id ?? 0;
  return (entry: Entry, event: SyntheticEvent) => {
    onClose();
    entry.run?.();
    const { to } = entry;
    if (to === undefined) return;
    remember(user, { id: entry.id, name: entry.name, to });
    const { ctrlKey = false, metaKey = false } = event.nativeEvent as { ctrlKey?: boolean; metaKey?: boolean };
    if (ctrlKey || metaKey) window.open(to, '_blank', 'noopener');
    else void navigate(to);
  };
}

const paper = { alignSelf: 'flex-start', mt: { xs: 0, sm: '12vh' }, overflow: 'hidden' } as const;

/** Finds pages, actions, settings, channels, users, tokens and requests by a few letters. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('command');
  const [text, setText] = useState('');
  const { entries, isSearching, hasFailed } = useEntries(text);
  const open = useOpen(onClose);
  const nothing = text.trim() === '' ? t('empty') : t('none', { text: text.trim() });
  return (
    <Dialog
      open
      onClose={onClose}
      fullWidth
      maxWidth="sm"
      slotProps={{ paper: { sx: paper, 'aria-label': t('title') } }}
    >
      <Autocomplete<Entry, false, true>
        open
        disableClearable
        autoHighlight
        clearOnBlur={false}
        forcePopupIcon={false}
        options={entries}
        inputValue={text}
        onInputChange={(_event, value, reason) => reason === 'input' && setText(value)}
        onChange={(event, value) => open(value, event)}
        onClose={(_event, reason) => reason === 'escape' && onClose()}
        filterOptions={(options) => options}
        groupBy={({ group }) => t(`group.${group}`)}
        getOptionLabel={({ name }) => name}
        getOptionKey={({ id }) => id}
        renderOption={({ key, ...row }, entry) => <EntryRow key={key} entry={entry} {...row} />}
        slots={{ popper: Inline, paper: Box }}
        slotProps={{ listbox: { sx: { maxHeight: { xs: '70dvh', sm: '50vh' } } } }}
        renderInput={(params) => (
          <TextField
            {...params}
            autoFocus
            placeholder={t('hint')}
            sx={{ '& fieldset': { border: 0 } }}
            slotProps={{
              ...params.slotProps,
              htmlInput: { ...params.slotProps.htmlInput, 'aria-label': t('title') },
              input: {
                ...params.slotProps.input,
                startAdornment: (
                  <InputAdornment position="start" sx={{ ml: 1 }}>
                    <SearchIcon fontSize="small" />
                  </InputAdornment>
                ),
              },
            }}
          />
        )}
      />
      <Box role="status" sx={{ px: 2, py: entries.length === 0 || hasFailed ? 1.5 : 0, color: 'text.secondary' }}>
        {entries.length === 0 && (isSearching ? t('searching') : nothing)}
        {hasFailed && <div>{t('failed')}</div>}
      </Box>
    </Dialog>
  );
}
