import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import type { User } from '@tollgate/contracts/api/user';
import { isRoot } from '@tollgate/contracts/roles';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useListUserModelsQuery } from '../../api/catalogue.api.js';
import { readStored, writeStored } from '../../app/stored.js';
import { Avatar } from '../../components/texts/avatar.js';
import { Placeholder } from '../../components/feedback/busy.js';
import { Card } from '../../components/layout/card.js';
import { useCopy } from '../../components/texts/copy-button.js';
import { GroupTag } from '../../components/texts/group-tag.js';
import { formatUnits } from '../../components/money/quota-format.js';
import { QuotaText } from '../../components/money/quota-text.js';
import { StatRow, StatTile } from '../../components/layout/stat-tile.js';
import { ErrorState } from '../../components/feedback/states.js';
import { Tag } from '../../components/texts/tag.js';

const SHOWN_MODELS = 10;
const EXPANDED_KEY = 'modelsExpanded';

function Who({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  const { id, username, display_name: displayName, group, role } = user;
  return (
    <Stack direction="row" useFlexGap spacing={1.5} sx={{ alignItems: 'center', flexWrap: 'wrap', rowGap: 1 }}>
      <Avatar name={username} size={40} />
      <Box sx={{ flex: '1 1 160px', minWidth: 0 }}>
        <Typography variant="h6" component="h2" sx={{ overflowWrap: 'anywhere' }}>
          {username} <Tag color={isRoot(role) ? 'red' : 'blue'}>{t(isRoot(role) ? 'role.root' : 'role.user')}</Tag>
        </Typography>
        {displayName && displayName !== username && (
          <Typography variant="body2" sx={{ color: 'text.secondary', overflowWrap: 'anywhere' }}>
            {displayName}
          </Typography>
        )}
      </Box>
      <Stack direction="row" spacing={1} sx={{ alignItems: 'center', typography: 'body2', minWidth: 0 }}>
        <Box component="span" sx={{ flexShrink: 0 }}>
          {t('id', { id })}
        </Box>
        <Box component="span" sx={{ color: 'text.secondary', flexShrink: 0 }}>
          {t('group')}
        </Box>
        <GroupTag group={group} />
      </Stack>
    </Stack>
  );
}

function Figures({ user }: { user: User }) {
  const { t } = useTranslation('personal');
  return (
    <StatRow>
      <StatTile label={t('balance')} value={<QuotaText quota={user.quota} balance />} scope={t('now')} />
      <StatTile label={t('used')} value={<QuotaText quota={user.used_quota} />} scope={t('scope')} />
      <StatTile label={t('requests')} value={formatUnits(user.request_count)} scope={t('scope')} />
    </StatRow>
  );
}

function useExpanded() {
  const [expanded, setExpanded] = useState(() => readStored(EXPANDED_KEY) === 'true');
  const toggle = () => {
    writeStored(EXPANDED_KEY, String(!expanded));
    setExpanded(!expanded);
  };
  return { expanded, toggle };
}

function ModelTags({ models }: { models: string[] }) {
  const { t } = useTranslation('personal');
  const { copy, dialog } = useCopy();
  const { expanded, toggle } = useExpanded();
  const rest = models.length - SHOWN_MODELS;
  if (models.length === 0) return t('models.none');
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.75, alignItems: 'center' }}>
      {(expanded ? models : models.slice(0, SHOWN_MODELS)).map((model) => (
        <Tag
          key={model}
          color="cyan"
          title={model}
          onClick={() => void copy(model, { key: 'copy.text', params: { text: model } })}
        >
          {model}
        </Tag>
      ))}
      {rest > 0 && (
        <Button size="small" onClick={toggle} aria-expanded={expanded} sx={{ minHeight: 24, py: 0 }}>
          {expanded ? t('models.less') : t('models.more', { count: rest })}
        </Button>
      )}
      {dialog}
    </Box>
  );
}

function Models() {
  const { t } = useTranslation('personal');
  const { data, error, refetch } = useListUserModelsQuery();
  return (
    <Box component="section" sx={{ borderTop: 1, borderColor: 'border.subtle', pt: 1.5 }}>
      <Typography variant="subtitle2" component="h3" sx={{ mb: 1 }}>
        {t('models.title')}
      </Typography>
      {error ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : data ? (
        <ModelTags models={data} />
      ) : (
        <Placeholder />
      )}
    </Box>
  );
}

/** The user's name, role, balance and available models. */
export function AccountCard({ user }: { user: User }) {
  return (
    <Card>
      <Stack spacing={2}>
        <Who user={user} />
        <Figures user={user} />
        <Models />
      </Stack>
    </Card>
  );
}
