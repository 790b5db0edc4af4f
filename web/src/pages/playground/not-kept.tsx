import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import type { NotKept } from './conversation.js';

/** Names the parts of a message that were not kept over a reload. */
export function NotKeptList({ parts }: { parts: readonly NotKept[] }) {
  const { t } = useTranslation('playground');
  return (
    <Box sx={{ color: 'text.secondary', typography: 'body2', overflowWrap: 'anywhere' }}>
      {parts.map(({ kind, name = '' }, index) => (
        // The parts never change their order.
        <div key={index}>{t(`notKept.${kind}`, { name })}</div>
      ))}
    </Box>
  );
}
