import { styled } from '@mui/material/styles';
import type { ComponentProps } from 'react';
import { drawnWhenForced } from '../basics/forced-colors.js';

/** Two pixels that say something is on its way. */
export const BusyLine = styled('div')({
  position: 'absolute',
  inset: '0 0 auto 0',
  height: 2,
  zIndex: 6,
  background:
    'linear-gradient(90deg, transparent, var(--tg-palette-primary-main), transparent) 0 0 / 40% 100% no-repeat',
  animation: 'tg-busy 1.1s linear infinite',
  '@keyframes tg-busy': { from: { backgroundPositionX: '-60%' }, to: { backgroundPositionX: '160%' } },
});

const Bar = styled('span')({
  display: 'block',
  height: 14,
  borderRadius: 4,
  backgroundColor: 'var(--tg-palette-background-sunken)',
});

/** Stands where something will be, with its size. Marked for whoever looks at the page as a program. */
export const Placeholder = (props: ComponentProps<typeof Bar>) => <Bar data-waiting="" {...props} />;

/** A share of a whole, from 0 to 100. */
export const ShareLine = styled('span', { shouldForwardProp: (name) => name !== 'share' })<{ share: number }>(
  ({ share }) => ({
    display: 'block',
    height: 2,
    borderRadius: 1,
    background: `linear-gradient(var(--tg-palette-${share < 10 ? 'warning' : 'primary'}-main) 0 0) 0 0 / ${share}% 100% no-repeat, var(--tg-palette-divider)`,
    '@media (forced-colors: active)': {
      ...drawnWhenForced,
      background: `linear-gradient(CanvasText 0 0) 0 0 / ${share}% 100% no-repeat, GrayText`,
    },
  }),
);
