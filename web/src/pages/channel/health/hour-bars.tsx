import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';

const HEIGHT = 48;

interface HourBar {
  at: number;
  /** Height of the whole bar, and of its part in the strong colour. */
  value: number;
  part: number;
  /** The tooltip. */
  hint: string;
}

interface HourBarsProps {
  title: string;
  summary: string;
  bars: readonly HourBar[];
  /** Colours of the whole bar and of the part. */
  colors: readonly [string, string];
}

/** A bar per hour on a scale from 0 to the highest bar. Hours without requests stay empty. */
export function HourBars({ title, summary, bars, colors }: HourBarsProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  const heightOf = (value: number): number => (value <= 0 ? 0 : Math.max(1.5, (value / most) * HEIGHT));
  return (
    <Box component="figure" aria-label={`${title}: ${summary}`} sx={{ m: 0 }}>
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'baseline', mb: 0.5 }}>
        <Typography variant="body2" sx={{ fontWeight: 600 }}>
          {title}
        </Typography>
        <Typography variant="caption" sx={{ color: 'text.secondary' }}>
          {summary}
        </Typography>
      </Box>
      <Box
        component="svg"
        viewBox={`0 0 ${bars.length * 10} ${HEIGHT}`}
        preserveAspectRatio="none"
        aria-hidden
        sx={{ display: 'block', width: '100%', height: HEIGHT, borderBottom: 1, borderColor: 'border.control' }}
      >
        {bars.map(({ at, value, part, hint }, index) => (
          <g key={at}>
            <title>{hint}</title>
            <rect x={index * 10} y={0} width={10} height={HEIGHT} fill="transparent" />
            <rect x={index * 10 + 1} y={HEIGHT - heightOf(value)} width={8} height={heightOf(value)} fill={colors[0]} />
            <rect x={index * 10 + 1} y={HEIGHT - heightOf(part)} width={8} height={heightOf(part)} fill={colors[1]} />
          </g>
        ))}
      </Box>
    </Box>
  );
}
