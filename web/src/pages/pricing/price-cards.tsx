import Box from '@mui/material/Box';
import { useState } from 'react';
import Button from '@mui/material/Button';
import { useTranslation } from 'react-i18next';
import { CheckBox } from '../../components/forms/check-box.js';
import { Tag } from '../../components/texts/tag.js';
import type { PriceView } from './price-table.js';
import { Available, BillingTag, CompletionPrice, GroupTags, ModelName, PromptPrice } from './price-table.js';

const STEP = 50;

const MOST_GROUPS = 6;

/** The viewed group is always among those in view. */
function CardGroups({ groups, group, onGroup }: { groups: string[]; group: string; onGroup: PriceView['onGroup'] }) {
  const { t } = useTranslation('pricing');
  const [open, setOpen] = useState(false);
  const first = groups.filter((name, index) => open || index < MOST_GROUPS || name === group);
  const rest = groups.length - first.length;
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5, mt: 0.5 }}>
      <GroupTags groups={first} group={group} onGroup={onGroup} />
      {rest > 0 && <Tag onClick={() => setOpen(true)}>{t('moreGroups', { count: rest })}</Tag>}
    </Box>
  );
}

/** The narrow layout: what a model costs, and the rest on request. */
export function PriceCards({ view, label }: { view: PriceView; label: string }) {
  const { t } = useTranslation('pricing');
  const [shown, setShown] = useState(STEP);
  const { rows, group, selected, onSelect, onGroup } = view;
  return (
    <>
      <Box
        component="ul"
        aria-label={label}
        sx={{
          listStyle: 'none',
          m: 0,
          p: 0,
          bgcolor: 'background.paper',
          border: 1,
          borderColor: 'border.subtle',
          borderRadius: '8px',
        }}
      >
        {rows.slice(0, shown).map((row) => (
          <Box
            component="li"
            key={row.name}
            sx={{ p: 1.5, borderBottom: 1, borderColor: 'border.subtle', typography: 'body2' }}
          >
            <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, mb: 1 }}>
              <CheckBox
                checked={selected.has(row.name)}
                onToggle={() => onSelect([row.name], !selected.has(row.name))}
                label={t('table.selectRow', { name: row.name })}
              />
              <Box sx={{ flex: 1, minWidth: 0 }}>
                <ModelName name={row.name} />
              </Box>
              <BillingTag perCall={row.perCall} />
              <Available available={row.available} />
            </Box>
            <Box sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 2 }}>
              <span>
                {!row.perCall && t('short.prompt')} <PromptPrice row={row} />
              </span>
              {row.priced && row.completion !== undefined && (
                <span>
                  {t('short.completion')} <CompletionPrice row={row} />
                </span>
              )}
            </Box>
            <CardGroups groups={row.groups} group={group} onGroup={onGroup} />
          </Box>
        ))}
      </Box>
      {rows.length > shown && (
        <Button fullWidth onClick={() => setShown(shown + STEP)} sx={{ mt: 1 }}>
          {t('more', { count: rows.length - shown })}
        </Button>
      )}
    </>
  );
}
