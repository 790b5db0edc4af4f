import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

interface Node {
  commentBefore?: string | null;
  flow?: boolean;
  items?: { key: Node & { value: string }; value: Node | null }[];
  toJSON(): unknown;
}

const CHART = resolve(import.meta.dirname.replace(/\/dist\/tools\/kube$/, '/tools/kube'), '../../helm/tollgate');
const LONGEST_DEFAULT = 60;
/** Placeholder that helm-docs replaces with the table of values. */
const PLACE = '{{ template "chart.valuesSection" . }}\n';

/** The description of a value: the line of its comment that begins with `-- `, as in helm-docs. */
const described = (comment: string | null | undefined): string =>
  comment?.split('\n').flatMap((line) => /^\s*-- (.*)$/.exec(line)?.[1] ?? [])[0] ?? '';

const isBranch = (value: Node | null): value is Node => !value?.flow && value?.items?.[0]?.key !== undefined;

function rowOf(name: string, value: Node | null, comment: string): string {
  const json = JSON.stringify(value?.toJSON() ?? null).replaceAll('|', '\\|');
  const shown = json.length > LONGEST_DEFAULT ? 'see values.yaml' : `\`${json}\``;
  return `| ${name} | ${shown} | ${comment.replaceAll('|', '\\|')} |\n`;
}

/** One row per value. A map that has a description of its own, or is written in braces, is one value. */
function rowsOf(map: Node, path: string): string[] {
  return (map.items ?? []).flatMap(({ key, value }, index) => {
    const name = path === '' ? key.value : `${path}.${key.value}`;
    const ofMap = index === 0 ? described(map.commentBefore) : '';
    const comment = described(key.commentBefore) || ofMap;
    return isBranch(value) && comment === '' ? rowsOf(value, name) : [rowOf(name, value, comment)];
  });
}

/** A YAML parser that keeps comments. It comes with Testcontainers, which needs it for compose files. */
const yaml = (): unknown =>
  ['testcontainers', 'docker-compose'].reduce(
    (from, name) => createRequire(from.resolve(name)),
    createRequire(import.meta.url),
  )('yaml');

/**
 * Renders helm/tollgate/README.md by the conventions of helm-docs: a template, and a table of the values with their
 * comments.
 */
export function chartReadme(): string {
  const { parseDocument } = yaml() as { parseDocument(text: string): { contents: Node } };
  const { contents } = parseDocument(readFileSync(`${CHART}/values.yaml`, 'utf8'));
  const table = `| Key | Default | Description |\n| --- | --- | --- |\n${rowsOf(contents, '').join('')}`;
  return readFileSync(`${CHART}/README.md.gotmpl`, 'utf8').replace(PLACE, () => table);
}
