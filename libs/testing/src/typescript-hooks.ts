import { readFileSync } from 'node:fs';
import { registerHooks, type ResolveHookContext, type ResolveFnOutput } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

/*
 * Jest transforms what suites import, but Node loads its global set-up directly. These hooks let that set-up import the repository's
 * TypeScript: aliases, `.js` extensions that mean `.ts`, and decorators.
 */
const ROOT = new URL('../../../', import.meta.url);

const swcOptions = {
  swcrc: false,
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
} as const;

/** Resolves an import of our own code to its file; undefined for packages. */
function ownFile(specifier: string, parent: string | undefined): string | undefined {
  const alias =
    /^@tollgate\/(contracts|pricing|providers|chassis|database|adapters|embedded|operations|process|testing)(?:\/(.+))?$/.exec(
      specifier,
    );
  if (alias) return new URL(`libs/${alias[1]}/src/${alias[2] ?? 'index'}.ts`, ROOT).href;
  const isOurs = parent?.startsWith(ROOT.href) === true && !parent.includes('/node_modules/');
  return isOurs && specifier.startsWith('.') && specifier.endsWith('.js')
    ? new URL(specifier.replace(/\.js$/, '.ts'), parent).href
    : undefined;
}

export function allowTypeScript(): void {
  registerHooks({
    resolve: (specifier: string, context: ResolveHookContext, next): ResolveFnOutput => {
      const url = ownFile(specifier, context.parentURL);
      return url === undefined ? next(specifier, context) : { url, format: 'module', shortCircuit: true };
    },
    load: (url, context, next) => {
      if (!url.startsWith(ROOT.href) || url.includes('/node_modules/') || !url.endsWith('.ts'))
        return next(url, context);
      const filename = fileURLToPath(url);
      const { code } = transformSync(readFileSync(filename, 'utf8'), { ...swcOptions, filename });
      return { format: 'module', source: code, shortCircuit: true };
    },
  });
}
