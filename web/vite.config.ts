import react from '@vitejs/plugin-react';
import { resolve } from 'node:path';
import { defineConfig } from 'vite';

const workspace = resolve(import.meta.dirname, '..');

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
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
    // What most pages need travels in two files: they compress better than fifty small ones.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'shared', minShareCount: 34 },
            { name: 'components', test: /web.src.components/, minShareCount: 10 },
          ],
        },
      },
    },
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
