import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import type { Media } from './conversation.js';

/** The reasoning of a model; collapsed once the answer begins. */
export function Reasoning({ text, open }: { text: string; open: boolean }) {
  const { t } = useTranslation('playground');
  return (
    <Box component="details" open={open} sx={{ color: 'text.secondary', mb: 1 }}>
      <Box component="summary" sx={{ cursor: 'pointer', typography: 'caption' }}>
        {t('reasoning')}
      </Box>
      <Box
        sx={{
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
          typography: 'body2',
          borderLeft: '2px solid',
          borderColor: 'border.subtle',
          pl: 1.5,
          mt: 0.5,
        }}
      >
        {text}
      </Box>
    </Box>
  );
}

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
