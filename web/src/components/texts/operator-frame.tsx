import Box from '@mui/material/Box';
import { usePostedTheme } from './use-posted-theme.js';

export interface FrameProps {
  address: string;
  title: string;
}

/** An external page: it may run its own scripts, but has no access to the console around it. */
export function OperatorFrame({ address, title }: FrameProps) {
  const { frame, onLoad } = usePostedTheme(address.trim());
  return (
    <Box
      component="iframe"
      ref={frame}
      src={address.trim()}
      title={title}
      onLoad={onLoad}
      referrerPolicy="no-referrer"
      sandbox="allow-scripts allow-forms allow-popups allow-same-origin"
      sx={{ width: '100%', height: 'calc(100dvh - 140px)', border: 0, borderRadius: '8px' }}
    />
  );
}
