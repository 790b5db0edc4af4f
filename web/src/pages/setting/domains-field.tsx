import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { parseOption } from '@tollgate/contracts/options/index';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

interface DomainsFieldProps {
  name: string;
  label: string;
  value: string;
  onText: (text: string) => void;
  helperText?: string;
  error?: boolean;
  denied?: string;
  disabled?: boolean;
}

const listOf = (text: string): string[] => text.split(',').filter((part) => part.trim() !== '');

/** A list of domains; each is validated before it is added. */
export function DomainsField({ name, label, value, onText, helperText, error, denied, disabled }: DomainsFieldProps) {
  const { t } = useTranslation('setting');
  const [refused, setRefused] = useState<string>();
  const [text, setText] = useState('');
  const current = listOf(value);
  const change = (next: string[]): boolean => {
    // What was typed may be a list, too.
    const all = listOf(next.join(',')).map((domain) => domain.trim().toLowerCase());
    const twice = new Set(all).size < all.length;
    const bad = all.slice(current.length).find((domain) => !parseOption('EmailDomainWhitelist', domain).ok);
    setRefused(bad !== undefined ? t('domain.bad', { host: 'gmail.com' }) : twice ? t('domain.twice') : undefined);
    const isFine = bad === undefined && !twice;
    if (isFine) onText(all.join(','));
    return isFine;
  };
  /** By Enter and on blur: a typed domain is added; one that is refused stays in the field to be corrected. */
  const add = () => {
    if (text.trim() !== '' && change([...current, text])) setText('');
  };
  return (
    <Autocomplete<string, true, false, true>
      multiple
      freeSolo
      readOnly={denied !== undefined}
      disabled={disabled}
      options={[]}
      value={current}
      onChange={(_, next) => (next.length > current.length ? change(next) : onText(next.join(',')))}
      inputValue={text}
      onInputChange={(_, next, reason) => {
        setText(next);
        if (reason === 'input') setRefused(undefined);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing || text.trim() === '') return;
        // The library would clear the text of an invalid domain, and do nothing with one that is in the list already.
        event.defaultMuiPrevented = true;
        event.preventDefault();
        add();
      }}
      onBlur={add}
      size="small"
      slotProps={{ chip: { size: 'small' } }}
      renderInput={(params) => (
        <TextField
          {...params}
          name={name}
          label={label}
          placeholder={t('domain.placeholder')}
          error={error || refused !== undefined}
          helperText={denied ?? refused ?? helperText}
        />
      )}
    />
  );
}
