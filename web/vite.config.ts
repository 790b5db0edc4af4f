import react from '@vitejs/plugin-react';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

const workspace = resolve(import.meta.dirname, '..');

const COMPRESSED = /\.(js|css|svg|json|webmanifest)$/;

/**
 * Writes a brotli and a gzip file beside each text file, with the strongest compression; the gateway sends the one that the browser
 * accepts.
 */
function compressFiles(): Plugin {
  let folder = '';
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir, build.assetsDir);
    },
    async closeBundle() {
      const files = await readdir(folder, { recursive: true });
      const compress = async (file: string): Promise<void> => {
        const path = join(folder, file);
        const text = await readFile(path);
        await writeFile(`${path}.br`, await promisify(brotliCompress)(text));
        await writeFile(`${path}.gz`, await promisify(gzip)(text, { level: 9 }));
      };
      await Promise.all(files.filter((file) => COMPRESSED.test(file)).map(compress));
    },
  };
}

/** Matches packages, or folders of packages, by the start of their path. */
const packages = (...names: string[]): RegExp => new RegExp(`node_modules/(?:${names.join('|')})(?:/|$)`);
/** Matches our own files by their path without extension. */
const ours = (...paths: string[]): RegExp => new RegExp(`web/src/(?:${paths.join('|')})\\.tsx?$`);

const CONTROLS =
  'Box|Button|ButtonBase|CircularProgress|CssBaseline|GlobalStyles|IconButton|InputBase|OutlinedInput|Stack|SvgIcon|Typography';

/** Grouped by path, never by the number of pages that share a file, so that a new page moves nothing. */
const groups = [
  { name: 'react', test: packages('react', 'react-dom', 'scheduler') },
  {
    name: 'data',
    test: packages('@reduxjs', 'react-redux', 'redux', 'immer', 'reselect', 'i18next', 'react-i18next', 'react-router'),
  },
  {
    name: 'look',
    test: packages(
      '@emotion',
      'stylis',
      '@mui/(?:system|styled-engine|utils|private-theming)',
      `@mui/material/(?:(?:esm/)?(?:styles|utils|transitions|colors|${CONTROLS}))`,
    ),
  },
  {
    name: 'charts',
    test: packages('@mui/x-[^/]+', 'd3-[^/]+', '@base-ui'),
    // Dependencies shared with the rest of the UI library stay in the files where other code uses them.
    includeDependenciesRecursively: false,
  },
  {
    name: 'components',
    test: ours(
      'api/(?:api-error|base-api|envelope-query|error-reply|events|self\\.api|session\\.api|status\\.api)',
      'app/(?:drafts|effects|session-check|store|stored|return-state|page-list|slices/.*)',
      'app/i18n/(?:index|formatters|language)',
      'components/[^/]+/(?:avatar|boundary|busy|callout|card|copy-button|copy-text|count-format|cut-hint|field|field-style|lazy-part|menu-button|menu-entry)',
      'components/[^/]+/(?:native-field|page-header|quota-format|quota-text|refusal|request-id|states|tag|text-problem|time-format|time-text)',
      'components/[^/]+/(?:unknown|use-confirm|use-deniable|use-media)',
    ),
  },
];

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), compressFiles()],
  resolve: { tsconfigPaths: true },
  build: {
    outDir: resolve(workspace, 'dist/web'),
    emptyOutDir: true,
    // The size test reads from it which files the first view needs.
    manifest: true,
    target: 'es2023',
    // The target browsers preload modules themselves, and the content security policy allows no injected script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // Code that every page needs is in a few files: they compress better than fifty small ones, and a change of our own code leaves the
    // libraries in a browser's cache. Code of a single page is split automatically.
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/api', '/v1', '/pg', '/mj', '/suno'].map((path) => [
        path,
        // The server compares the origin of a write with the `Host` header, so the header is passed unchanged.
        { target: `http://127.0.0.1:${process.env.PORT ?? 3000}`, changeOrigin: false },
      ]),
    ),
  },
});
