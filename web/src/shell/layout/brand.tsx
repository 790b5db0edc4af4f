import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Tag } from '../../components/texts/tag.js';
import { DEFAULT_LOGO, DEFAULT_SYSTEM_NAME, selectStatus } from '../../app/slices/status.js';
import { useAppSelector } from '../../app/store.js';

/** Logo, name of the system and its mode; if both modes are set, self-use is shown. */
export function Brand() {
  const { t } = useTranslation();
  const {
    system_name: name,
    logo,
    self_use_mode_enabled: selfUse,
    demo_site_enabled: demo,
  } = useAppSelector(selectStatus);
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minWidth: 0 }}>
      <Box
        component={Link}
        to="/"
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1,
          minWidth: 0,
          color: 'text.primary',
          textDecoration: 'none',
          fontWeight: 600,
        }}
      >
        <img
          src={logo || DEFAULT_LOGO}
          alt=""
          width={28}
          height={28}
          style={{ borderRadius: 6, objectFit: 'contain' }}
        />
        <Box
          component="span"
          title={name || undefined}
          sx={{ overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap', maxWidth: { xs: 110, sm: 200 } }}
        >
          {name || DEFAULT_SYSTEM_NAME}
        </Box>
      </Box>
      {selfUse ? (
        <Tag color="purple">{t('shell.selfUse')}</Tag>
      ) : demo ? (
        <Tag color="blue">{t('shell.demo')}</Tag>
      ) : null}
    </Box>
  );
}
