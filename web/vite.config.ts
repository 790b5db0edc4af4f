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
