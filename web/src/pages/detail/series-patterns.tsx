import { groundOf, marks, patternId, stripesOf } from './chart-parts.js';

const SIZE = 8;

/**
 * Defines the striped patterns that fill chart marks. The element has no size but is displayed, because patterns under
 * `display: none` are not painted.
 */
export function SeriesPatterns() {
  return (
    <svg width={0} height={0} aria-hidden style={{ position: 'absolute' }}>
      <defs>
        {marks.map((mark) => {
          const stripes = stripesOf[mark];
          if (!stripes) return null;
          return (
            <pattern
              key={mark}
              id={patternId(mark)}
              width={SIZE}
              height={SIZE}
              patternUnits="userSpaceOnUse"
              patternTransform={`rotate(${stripes.angle})`}
            >
              <rect width={SIZE} height={SIZE} style={{ fill: groundOf(mark) }} />
              <rect
                width={SIZE}
                height={stripes.width}
                style={{ fill: 'var(--tg-palette-background-paper)', fillOpacity: 0.6 }}
              />
            </pattern>
          );
        })}
      </defs>
    </svg>
  );
}
