import { styled } from '@mui/material/styles';
import type { ComponentProps } from 'react';
import { drawnWhenForced } from '../basics/forced-colors.js';

/** A line of two pixels that shows that something is loading. */
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

/** Takes the place and size of content that is loading. The attribute marks it for the browser tests. */
export const Placeholder = (props: ComponentProps<typeof Bar>) => <Bar data-waiting="" {...props} />;

/** A bar that shows a share between 0 and 100. */
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
