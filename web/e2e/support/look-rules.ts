import type { Page } from 'playwright-core';

const MOST_SHOWN = 4;

/** Visible flaws that no other rule finds: single tiles, sizes and columns that differ without reason, controls that are hardly visible. */
export async function untidyParts(page: Page): Promise<string[]> {
  const found = [
    ...(await lonelyTiles(page)),
    ...(await oddHints(page)),
    ...(await faintSwitches(page)),
    ...(await unnamedTicks(page)),
    ...(await raggedCards(page)),
  ];
  return found.slice(0, MOST_SHOWN);
}

/** Tiles that are alone in a further row without filling it. */
const lonelyTiles = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const groups = Map.groupBy(document.querySelectorAll('[data-tile]'), ({ parentElement }) => parentElement);
    return [...groups].flatMap(([parent, tiles]) => {
      const rows = [...Map.groupBy(tiles, (tile) => Math.round(tile.getBoundingClientRect().top)).values()];
      const room = (parent?.clientWidth ?? 0) - 1;
      const alone = rows.filter((row) => row.length === 1 && rows.some((other) => other.length > 1)).flat();
      return alone
        .filter((tile) => tile.getBoundingClientRect().width < room)
        .map(({ textContent: text }) => `a tile stands alone in its row: ${text}`);
    });
  });

/** Placeholders of another font size than the text to type. Formats of times are exempt, because they are longer than their fields. */
const oddHints = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLInputElement>('input[placeholder], textarea[placeholder]')]
      .filter(({ placeholder, value }) => value === '' && !/^(YYYY|\d{4}-)/.test(placeholder))
      .filter((field) => getComputedStyle(field, '::placeholder').fontSize !== getComputedStyle(field).fontSize)
      .map(({ placeholder }) => `a hint of another size than its field: ${placeholder}`),
  );

const LEAST_CONTRAST = 3;

/** Switches whose track has too little contrast; the track must be visible in both states. */
const faintSwitches = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const numbers = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
    const light = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = numbers(color).map((part) => {
        const share = part / 255;
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const groundOf = (element: Element | null): string => {
      for (let at = element; at; at = at.parentElement) {
        const { backgroundColor } = getComputedStyle(at);
        if (!/, 0\)$|transparent/.test(backgroundColor)) return backgroundColor;
      }
      return 'rgb(255, 255, 255)';
    };
    // Found by role, which our code sets: if MUI renames its classes, the rule must fail instead of finding nothing.
    const switches = [...document.querySelectorAll('input[role="switch"]')].map((input) => {
      const root = input.closest('.MuiSwitch-root');
      return { input, root, track: root?.querySelector('.MuiSwitch-track') };
    });
    const isFaint = ({ input, root, track }: (typeof switches)[number]): boolean => {
      if (!root || !track) return true;
      if (input.matches(':disabled, [aria-disabled="true"]')) return false;
      const { backgroundColor, opacity } = getComputedStyle(track);
      const [one = 0, other = 0] = [backgroundColor, groundOf(root)].map(light).sort((a, b) => b - a);
      return Number(opacity) < 1 || (one + 0.05) / (other + 0.05) < least;
    };
    return switches.filter(isFaint).map(({ input, track }) => {
      const fault = track ? 'a switch is hardly seen' : 'a switch has no track that the rule knows';
      return `${fault}: ${input.closest('label')?.textContent ?? ''}`;
    });
  }, LEAST_CONTRAST);

/** Pixels. */
const LEAST_CHART = 150;

/** Ticks of the vertical axis without an amount. */
const unnamedTicks = (page: Page): Promise<string[]> =>
  page.evaluate((least) => {
    const ticks = [...document.querySelectorAll('.MuiChartsAxis-directionY .MuiChartsAxis-tickContainer')];
    // The chart of the period's spend has amounts on its axis; SVG icons are smaller.
    const charts = [...document.querySelectorAll('#chart-panel[aria-labelledby="tab-spend"] svg')];
    const isDrawn = charts.some((chart) => chart.getBoundingClientRect().width > least);
    if (isDrawn && ticks.length === 0) return ['a chart has no marks that the rule knows'];
    return ticks.filter((tick) => !tick.textContent?.trim()).map(() => 'a mark of an axis has no amount');
  }, LEAST_CHART);

/** Tolerated horizontal offset between equal fields, in pixels, since a longer field beside one moves it. */
const TOLERANCE = 40;

/** Fields that are not on the same line and at the same place on all cards of a list. */
const raggedCards = (page: Page): Promise<string[]> =>
  page.evaluate((most) => {
    const fields = [...document.querySelectorAll('main ul > [data-row] > dl dt')].map((name) => {
      const box = name.getBoundingClientRect();
      const list = name.closest('dl')?.getBoundingClientRect();
      const line = Math.round((box.top - (list?.top ?? 0)) / 8);
      return { name: name.textContent ?? '', left: box.left, line };
    });
    return [...Map.groupBy(fields, ({ name }) => name)]
      .filter(([, places]) => {
        const lefts = places.map(({ left }) => left);
        return Math.max(...lefts) - Math.min(...lefts) > most || new Set(places.map(({ line }) => line)).size > 1;
      })
      .map(([name]) => `fields of cards do not stand below each other: ${name}`);
  }, TOLERANCE);
