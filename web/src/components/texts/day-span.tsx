interface DaySpanProps {
  /** Each as it is shown: a day, or the words for one that nobody knows. */
  from: string;
  to: string;
}

const whole = { whiteSpace: 'nowrap' } as const;

/** A period in days. It may take two lines, but no day is broken at its hyphens; a period of one day names it once. */
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
