import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';

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
