import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { startScript } from './docs-page.js';

interface ViewerFile {
  type: string;
  read(): string;
}

/** The folder of the viewer that @nestjs/swagger depends on. */
const viewerFolder = (): string => dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

function shipped(name: string, type: string): ViewerFile {
  let text: string | undefined;
  return { type, read: () => (text ??= readFileSync(join(viewerFolder(), name), 'utf8')) };
}

const SCRIPT = 'text/javascript; charset=utf-8';

/** The files that the page loads; each is read on first use. */
export const viewerFiles: ReadonlyMap<string, ViewerFile> = new Map([
  ['swagger-ui.css', shipped('swagger-ui.css', 'text/css; charset=utf-8')],
  ['swagger-ui-bundle.js', shipped('swagger-ui-bundle.js', SCRIPT)],
  ['start.js', { type: SCRIPT, read: () => startScript }],
]);
