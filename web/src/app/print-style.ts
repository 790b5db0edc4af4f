/** Data of a row may be drawn as buttons, which copy it or lead to its reason; every other button is a thing to press. */
const PRESSED = 'button:not([data-row] *), [role="button"]:not([data-row] *), .actions, .check, .chevron';

/** A page on paper: what was to be read, without what was to be pressed. */
export const printStyle = {
  '.print-only': { display: 'none' },
  '@media print': {
    [[
      'header:not(main header)',
      'nav:not([data-fill] *)',
      // How many rows there are in all stays.
      '[data-fill] nav > :not([role="status"])',
      'footer',
      // Out of sight above a sheet is on the one before.
      'a[href="#main"]',
      '[role="search"]:not([data-filter-bar])',
      '[data-filter-bar] form > :not([role="group"])',
      '[role="tablist"]',
      '[aria-live]',
      PRESSED,
      '.no-print',
    ].join(', ')]: { display: 'none !important' },
    '.print-only': { display: 'block' },
    ':root': { colorScheme: 'light !important' as 'light' },
    ':has(> div > #main)': { marginLeft: '0 !important', paddingTop: '0 !important' },
    '#main': { padding: '0 !important' },
    'html, body, body *': { color: '#000 !important', background: 'none !important', boxShadow: 'none !important' },
    'svg text': { fill: '#000 !important' },
    // Whatever scrolls on a screen is as long as its content, and heads of tables stand on each page.
    'body *': { maxHeight: 'none !important', overflow: 'visible !important' },
    'div:has(> #main), #main, #main > *, [data-fill]': { height: 'auto !important' },
    'div:has(> #main), #main, [data-fill]': { display: 'block !important' },
    '[data-row], #main tr': { breakInside: 'avoid' },
    // All columns share the width of the paper, on as many lines as they need.
    '#main table': { minWidth: '0 !important', tableLayout: 'auto !important' as 'auto' },
    '#main table th, #main table td': {
      position: 'static !important' as 'static',
      width: 'auto !important',
      height: 'auto !important',
      padding: '2px 6px !important',
      fontSize: '0.6875rem !important',
      lineHeight: '1rem !important',
      whiteSpace: 'normal !important' as 'normal',
      overflowWrap: 'anywhere',
    },
    // Tables need the width; on the whole page, because a change of the paper begins a new sheet.
    'body:has([data-fill])': { page: 'wide' },
    '@page': { size: 'A4', margin: '15mm' },
    '@page wide': { size: 'A4 landscape', margin: '15mm' },
  },
} as const;
