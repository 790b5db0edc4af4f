/** `npm run bench:scale`: everything in docs/scale.md that is measured, one after the other, and the page with the figures. */
await import('./measure-start.js');
await import('./measure-relays.js');
await import('../docs.js');
