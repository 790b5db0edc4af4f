interface DaySpanProps {
  /** Each in its displayed form: a day, or a text if it is unknown. */
  from: string;
  to: string;
}

const whole = { whiteSpace: 'nowrap' } as const;

/** A period in days. It may take two lines, but a day is never broken at its hyphens; a period of one day shows it once. */
export const DaySpan = ({ from, to }: DaySpanProps) => (
  <>
    {from !== to && (
      <>
        <span style={whole}>{from}</span> –{' '}
      </>
    )}
    <span style={whole}>{to}</span>
  </>
);
