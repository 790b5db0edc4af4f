import react from '@vitejs/plugin-react';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Plugin } from 'vite';
import { defineConfig } from 'vite';

const workspace = resolve(import.meta.dirname, '..');

const COMPRESSED = /\.(js|css|svg|json|webmanifest)$/;

/** Beside each text its brotli and gzip, made once with the strongest setting; the gateway sends what a browser takes. */
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

/** Packages, or folders of packages, by the start of their path. */
const packages = (...names: string[]): RegExp => new RegExp(`node_modules/(?:${names.join('|')})(?:/|$)`);
/** Files of ours, by their path without its ending. */
const ours = (...paths: string[]): RegExp => new RegExp(`web/src/(?:${paths.join('|')})\\.tsx?$`);

const CONTROLS =
  'Box|Button|ButtonBase|CircularProgress|CssBaseline|GlobalStyles|IconButton|InputBase|OutlinedInput|Stack|SvgIcon|Typography';

/** By path, never by how many share a file: a further page moves nothing. */
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
    // What they share with the rest of the library stays where others find it.
    includeDependenciesRecursively: false,
  },
  {
    name: 'components',
    test: ours(
      'api/(?:api-error|base-api|envelope-query|events|self\\.api|session\\.api|status\\.api)',
      'app/(?:drafts|effects|store|stored|return-state|page-list|slices/.*)',
      'app/i18n/(?:index|formatters|language)',
      'components/[^/]+/(?:avatar|boundary|busy|callout|card|copy-button|copy-text|cut-hint|field|field-style|lazy-part|menu-button|menu-entry)',
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
    // The size test reads which files the first view needs.
    manifest: true,
    target: 'es2023',
    // Browsers of the target preload modules by themselves, and the policy allows no injected script.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // What every page stands on travels in a few files: they compress better than fifty small ones, and a change of our own code leaves
    // those of the libraries in a browser's cache. What belongs to one page only finds its own place.
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: {
    port: 5173,
    proxy: Object.fromEntries(
      ['/api', '/v1', '/pg', '/mj', '/suno'].map((path) => [
        path,
        // The server compares the origin of a write with the host it was asked for, so the host goes through as it is.
        { target: process.env.TOLLGATE_SERVER ?? 'http://127.0.0.1:3000', changeOrigin: false },
      ]),
    ),
  },
});
