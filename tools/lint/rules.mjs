/**
 * Lint rules of this repository that no published plugin provides in the form we need. Each one enforces a sentence of CONTRIBUTING.md;
 * `tools/check-boundaries.ts` verifies that they work.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const shipped = new Set(Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }));
// `@jest/globals` is a part of jest that tests import by its own name.
const developed = new Set([...Object.keys(manifest.devDependencies), '@jest/globals']);
const builtin = new Set(builtinModules);

/** Calls `visit` for every import, re-export and dynamic import with a literal module name. */
function onImport(visit) {
  const fromSource = (node) => {
    if (typeof node.source?.value === 'string') visit(node.source, node.source.value, isTypeOnly(node));
  };
  return {
    ImportDeclaration: fromSource,
    ExportNamedDeclaration: fromSource,
    ExportAllDeclaration: fromSource,
    ImportExpression: fromSource,
  };
}

const isTypeOnly = (node) => node.importKind === 'type' || node.exportKind === 'type';

function packageOf(specifier) {
  const [first, second] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

const isOurs = (specifier) => /^(\.|\/|node:|@tollgate\/)/.test(specifier);

/**
 * A package that is not listed in package.json is only installed because another one needs it, and may vanish with the
 * next install.
 */
const listedDependencies = {
  meta: {
    type: 'problem',
    schema: [{ type: 'object', properties: { development: { type: 'boolean' } }, additionalProperties: false }],
    messages: {
      unlisted: "'{{name}}' is not listed in package.json.",
      development: "'{{name}}' is a devDependency; the image is installed without those.",
    },
  },
  create(context) {
    const mayDevelop = context.options[0]?.development ?? false;
    return onImport((node, specifier, typeOnly) => {
      const name = packageOf(specifier);
      if (isOurs(specifier) || builtin.has(name) || shipped.has(name)) return;
      if (!developed.has(name)) {
        const listed = typeOnly && developed.has(`@types/${name.replace('@', '').replace('/', '__')}`);
        if (!listed) context.report({ node, messageId: 'unlisted', data: { name } });
      } else if (!mayDevelop && !typeOnly) context.report({ node, messageId: 'development', data: { name } });
    });
  },
};

const sourceOf = (file) => path.relative(root, file).split(path.sep);

/** The page folder (`web/src/pages/<page>`) of a path, if any. */
function pageOf(segments) {
  return segments[0] === 'web' && segments[1] === 'src' && segments[2] === 'pages' && segments.length > 4
    ? segments[3]
    : undefined;
}

/**
 * A page imports only files of its own folder and of the layers below it; components and the api layer import no page.
 */
const pagesStayApart = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      otherPage: "The page '{{from}}' may not import the page '{{to}}': move what both need to components.",
      upward: 'web/src/{{layer}} may not import pages.',
    },
  },
  create(context) {
    const own = sourceOf(context.filename);
    const from = pageOf(own);
    return onImport((node, specifier) => {
      if (!specifier.startsWith('.')) return;
      const target = sourceOf(path.resolve(path.dirname(context.filename), specifier));
      const to = pageOf(target);
      if (from && to && from !== to) context.report({ node, messageId: 'otherPage', data: { from, to } });
      const layer = own[2];
      if (own[0] === 'web' && ['components', 'api'].includes(layer) && target[2] === 'pages')
        context.report({ node, messageId: 'upward', data: { layer } });
    });
  },
};

/** The source folder of a file's project: a library, a service or the web. */
function projectOf(file) {
  const [place, ...rest] = sourceOf(file);
  const depth = place === 'web' ? 0 : 1;
  const isSource = ['libs', 'services', 'web'].includes(place) && rest[depth] === 'src';
  return isSource ? path.join(root, place, ...rest.slice(0, depth + 1)) : undefined;
}

/** The web's components have a layering of their own inside their folder. */
const COMPONENTS = path.join(root, 'web/src/components');

/**
 * The folders whose direct subfolders are the layers that a file belongs to: the source folder of its project and, for
 * a component, the folder of components.
 */
const layeredFoldersOf = (file) =>
  [projectOf(file), file.startsWith(`${COMPONENTS}${path.sep}`) && COMPONENTS].filter(Boolean);

/**
 * The layer of a file: the direct subfolder of `folder` in which it lies; undefined for files beside the layers, which
 * are entry points or serve all layers.
 */
function layerOf(folder, file) {
  const [layer, ...rest] = path.relative(folder, file).split(path.sep);
  return rest.length > 0 && layer !== '..' ? layer : undefined;
}

const isSpec = (file) => /\.(spec|int-spec)\.tsx?$/.test(file);
const fileGraphs = new Map();
const layerGraphs = new Map();

const once = (graphs, make) => (project) => {
  if (!graphs.has(project)) graphs.set(project, make(project));
  return graphs.get(project);
};

const withoutEnding = (file) => file.replace(/\.[jt]sx?$/, '');

/**
 * The import graph of the files under a folder, from file to imported files, without extensions. Imports are found in
 * the text of the files.
 */
const fileGraphOf = once(fileGraphs, (project) => {
  const files = readdirSync(project, { recursive: true }).filter((file) => /\.tsx?$/.test(file) && !isSpec(file));
  return new Map(
    files.map((name) => {
      const file = path.join(project, name);
      const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g);
      const targets = [...imports].map(([, specifier]) => path.resolve(path.dirname(file), withoutEnding(specifier)));
      return [withoutEnding(file), new Set(targets)];
    }),
  );
});

/** The import graph of the layers in a folder. */
const layerGraphOf = once(layerGraphs, (folder) => {
  const graph = new Map();
  for (const [file, targets] of fileGraphOf(folder)) {
    const from = layerOf(folder, file);
    if (from === undefined) continue;
    for (const target of targets) {
      const to = layerOf(folder, target);
      if (to !== undefined && to !== from) graph.set(from, (graph.get(from) ?? new Set()).add(to));
    }
  }
  return graph;
});

/** A path in a graph from one node to another, both included; undefined if there is none. */
function pathBetween(graph, from, to, seen = new Set()) {
  if (from === to) return [to];
  if (seen.has(from)) return undefined;
  seen.add(from);
  for (const next of graph.get(from) ?? []) {
    const way = pathBetween(graph, next, to, seen);
    if (way) return [from, ...way];
  }
  return undefined;
}

/** Imports between layers go in one direction only, so that each can be read without those above it. */
const noImportUpwards = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { upward: 'These folders import each other: {{way}}. Move what both need below both of them.' },
  },
  create(context) {
    if (isSpec(context.filename)) return {};
    return onImport((node, specifier) => {
      if (!specifier.startsWith('.')) return;
      const file = path.resolve(path.dirname(context.filename), specifier);
      for (const folder of layeredFoldersOf(context.filename)) {
        const [own, target] = [layerOf(folder, context.filename), layerOf(folder, file)];
        if (own === undefined || target === undefined || own === target) continue;
        const back = pathBetween(layerGraphOf(folder), target, own);
        if (back) context.report({ node, messageId: 'upward', data: { way: [own, ...back].join(' -> ') } });
      }
    });
  },
};

/**
 * Files must not import each other in a circle, not even for types, as none of them could be read, moved or split
 * without the others.
 */
const noImportCircles = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { circle: 'A circle of imports: {{way}}. Move what both ends need into a file of its own.' },
  },
  create(context) {
    const project = projectOf(context.filename);
    if (!project || isSpec(context.filename)) return {};
    const own = withoutEnding(context.filename);
    return onImport((node, specifier) => {
      if (!specifier.startsWith('.')) return;
      const target = path.resolve(path.dirname(context.filename), withoutEnding(specifier));
      const back = pathBetween(fileGraphOf(project), target, own);
      if (!back) return;
      const way = [own, ...back].map((file) => path.relative(project, file)).join(' -> ');
      context.report({ node, messageId: 'circle', data: { way } });
    });
  },
};

const functions = new Set(['ArrowFunctionExpression', 'FunctionExpression']);

/**
 * A function literal that is assigned directly to a member is allocated by V8 in the old generation; the same holds for
 * a class field, as it is compiled here. If one is created per request, it keeps everything that it refers to of that
 * request until the next full collection, even after both are unreachable.
 */
const noFunctionMembers = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      member:
        'A function written out as a member keeps its request beyond its end: make it a method, or name it first and assign the name.',
    },
  },
  create(context) {
    const report = (node) => context.report({ node, messageId: 'member' });
    return {
      PropertyDefinition(node) {
        if (!node.static && functions.has(node.value?.type)) report(node.value);
      },
      AssignmentExpression({ left, right }) {
        if (left.type === 'MemberExpression' && functions.has(right.type)) report(right);
      },
    };
  },
};

/** `eslint-disable` without a reason hides a decision. Unused ones are reported by ESLint itself. */
const reasonedDisable = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { reason: 'Say why on the same line: `-- reason`.', blanket: 'Name the rule that is switched off.' },
  },
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const directive = /^\s*eslint-disable(?:-next-line|-line)?(?<rest>[\s\S]*)$/.exec(comment.value);
          if (!directive) continue;
          const [rules, reason = ''] = directive.groups.rest.split(/\s-{2,}\s/);
          if (rules.trim() === '') context.report({ loc: comment.loc, messageId: 'blanket' });
          if (reason.trim().length < 8) context.report({ loc: comment.loc, messageId: 'reason' });
        }
      },
    };
  },
};

export const tollgateRules = {
  meta: { name: 'tollgate' },
  rules: {
    'listed-dependencies': listedDependencies,
    'no-function-members': noFunctionMembers,
    'no-import-circles': noImportCircles,
    'no-import-upwards': noImportUpwards,
    'pages-stay-apart': pagesStayApart,
    'reasoned-disable': reasonedDisable,
  },
};
