import Box from '@mui/material/Box';
import { framedWhenForced } from '../basics/forced-colors.js';
import { identityColor } from './tag.js';

/** The first letter of a name on the name's colour; decorative, because the name is shown beside it. */
export function Avatar({ name, size = 28 }: { name: string; size?: number }) {
  const color = identityColor(name);
  return (
    <Box
      component="span"
      aria-hidden
      sx={{
        display: 'inline-flex',
        flexShrink: 0,
        alignItems: 'center',
        justifyContent: 'center',
        width: size,
        height: size,
        borderRadius: '50%',
        fontSize: size / 2,
        fontWeight: 600,
        color: `tag.${color}.text`,
        bgcolor: `tag.${color}.background`,
        ...framedWhenForced,
      }}
    >
      {[...name][0]?.toUpperCase() ?? '?'}
    </Box>
  );
}
