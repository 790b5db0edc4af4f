/** Buttons inside a row may show its data (to copy it or to open its reason), so they are printed; all other buttons are hidden. */
const PRESSED = 'button:not([data-row] *), [role="button"]:not([data-row] *), .actions, .check, .chevron';

/** Prints the content of a page without its controls. */
export const printStyle = {
  '.print-only': { display: 'none' },
  '@media print': {
    [[
      'header:not(main header)',
      'nav:not([data-fill] *)',
      // The total number of rows is printed.
      '[data-fill] nav > :not([role="status"])',
      'footer',
      // The skip link is placed above the page, which in print would be on the previous sheet.
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
    // Scrolling areas are printed at full height, and table heads repeat on each sheet.
    'body *': { maxHeight: 'none !important', overflow: 'visible !important' },
    'div:has(> #main), #main, #main > *, [data-fill]': { height: 'auto !important' },
    'div:has(> #main), #main, [data-fill]': { display: 'block !important' },
    '[data-row], #main tr, figure, section:has(> figure)': { breakInside: 'avoid' },
    // All columns share the width of the paper, and cells wrap as needed.
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
    // A broken word is still read; a broken amount is not.
    '#main table thead th, #main table td.right, #main [role="region"] table td:not(.text)': { overflowWrap: 'normal' },
    // Tables need landscape paper. It is set on the whole page, because a change of paper begins a new sheet.
    'body:has([data-fill])': { page: 'wide' },
    '@page': { size: 'A4', margin: '15mm' },
    '@page wide': { size: 'A4 landscape', margin: '15mm' },
  },
} as const;
