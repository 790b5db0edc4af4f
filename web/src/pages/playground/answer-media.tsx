import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import type { Media } from './conversation.js';

/** Pictures with a download link, and sounds with a player. */
export function AnswerMedia({ media }: { media: readonly Media[] }) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      {media.map(({ kind, url }, index) =>
        kind === 'picture' ? (
          <Box component="a" key={url} href={url} download={`picture-${index + 1}.png`} title={t('savePicture')}>
            <Box
              component="img"
              src={url}
              alt={t('picture', { n: index + 1 })}
              sx={{ display: 'block', maxWidth: '100%', maxHeight: 480, minWidth: 48, borderRadius: '6px' }}
            />
          </Box>
        ) : (
          <Box
            component="audio"
            key={url}
            controls
            src={url}
            aria-label={t('sound')}
            sx={{ width: 360, maxWidth: '100%' }}
          />
        ),
      )}
    </Box>
  );
}
