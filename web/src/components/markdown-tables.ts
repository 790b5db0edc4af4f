interface MarkdownNode {
  type: string;
  value?: string;
  children?: MarkdownNode[];
}
interface Table extends MarkdownNode {
  align: Align[];
}
type Align = 'left' | 'right' | 'center' | null;
type Cell = MarkdownNode[];

const DELIMITER = /^\s*(:?)-+(:?)\s*$/;
const isBlank = (cell: Cell | undefined): boolean =>
  cell !== undefined && cell.every(({ type, value }) => type === 'text' && value?.trim() === '');

/** The lines of a paragraph, each cut at its pipes; what is not plain text (code, bold, a link) stays whole. */
function linesOf(paragraph: MarkdownNode): Cell[][] {
  let cell: Cell = [];
  let line: Cell[] = [cell];
  const lines = [line];
  const add = (text: string): void => {
    for (const part of text.split(/([|\n])/)) {
      if (part === '|') line.push((cell = []));
      else if (part === '\n') lines.push((line = [(cell = [])]));
      else cell.push({ type: 'text', value: part });
    }
  };
  for (const node of paragraph.children ?? []) {
    if (node.type === 'break') add('\n');
    else if (node.type === 'text') add(node.value ?? '');
    else cell.push(node);
  }
  return lines;
}

/** Pipes may stand at both ends of a line. */
function cellsOf(line: Cell[]): Cell[] {
  const from = line.length > 1 && isBlank(line[0]) ? 1 : 0;
  const to = line.length > from + 1 && isBlank(line.at(-1)) ? -1 : undefined;
  return line.slice(from, to);
}

function alignOf(cell: Cell): Align | undefined {
  const text = cell.map(({ value = 'x' }) => value).join('');
  const [found, left, right] = DELIMITER.exec(text) ?? [];
  if (found === undefined) return undefined;
  if (left && right) return 'center';
  return right ? 'right' : left ? 'left' : null;
}

/** As many cells as the head has; whatever is too much stays in the last one. */
function rowOf(line: Cell[], count: number): MarkdownNode {
  const cells = cellsOf(line);
  const rest = cells.splice(count).flatMap((cell) => [{ type: 'text', value: '|' }, ...cell]);
  cells.at(-1)?.push(...rest);
  while (cells.length < count) cells.push([]);
  return { type: 'tableRow', children: cells.map((children) => ({ type: 'tableCell', children })) };
}

const paragraphOf = (lines: Cell[][]): MarkdownNode => ({
  type: 'paragraph',
  children: lines.flatMap((line, at) => [
    ...(at > 0 ? [{ type: 'text', value: '\n' }] : []),
    ...line.flatMap((cell, index) => [...(index > 0 ? [{ type: 'text', value: '|' }] : []), ...cell]),
  ]),
});

/** A paragraph whose second or later line is `--- | ---` is a table from the line above on. */
function withTable(paragraph: MarkdownNode): MarkdownNode[] {
  const lines = linesOf(paragraph);
  for (const [at, line] of lines.entries()) {
    const head = lines[at - 1];
    const aligns = cellsOf(line).map(alignOf);
    if (!head || line.length < 2 || aligns.includes(undefined) || cellsOf(head).length !== aligns.length) continue;
    const rows = [head, ...lines.slice(at + 1)].map((cells) => rowOf(cells, aligns.length));
    const table: Table = { type: 'table', align: aligns as Align[], children: rows };
    return at > 1 ? [paragraphOf(lines.slice(0, at - 1)), table] : [table];
  }
  return [paragraph];
}

/** Tables of pipes, which models write all the time and plain Markdown does not know. */
export function markdownTables() {
  return function visit(node: MarkdownNode): void {
    if (!node.children) return;
    node.children = node.children.flatMap((child) => (child.type === 'paragraph' ? withTable(child) : [child]));
    node.children.forEach(visit);
  };
}
