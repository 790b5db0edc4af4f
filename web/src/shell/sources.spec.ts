import { describe, expect, it } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const source = resolve(import.meta.dirname, '..');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.tsx') && !file.includes('.spec.') && !file.startsWith('testing/'),
);

/** All syntax nodes of a file that renders the console. */
function* nodesOf(file: string): Generator<ts.Node> {
  const path = join(source, file);
  const root = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const open: ts.Node[] = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    open.push(...node.getChildren());
  }
}
const findings = (find: (node: ts.Node) => string | undefined): string[] =>
  files.flatMap((file) =>
    [...nodesOf(file)].flatMap((node) => {
      const found = find(node);
      return found === undefined ? [] : [`${file}: ${found}`];
    }),
  );

/** Attributes whose text is shown or read aloud. */
const SPOKEN =
  /^(alt|title|placeholder|label|helperText|aria-label|aria-description|aria-roledescription|hint|purpose)$/;
const WORDS = /\p{L}{2,}/u;
/** Names and examples of input that are the same in every language. */
const SAME_EVERYWHERE = new Set([
  // Request fields by their names in the models' API.
  ...['System', 'MaxTokens', 'Temperature'],
  // Keys of a keyboard, and the time zone.
  ...['Ctrl K', 'UTC'],
  // Examples of input.
  ...['org-...', 'strawberry', '{\n  "temperature": 0\n}'],
]);

describe('the sources of the console', () => {
  it('contain no text for users outside of the dictionaries', () => {
    const found = findings((node) => {
      const drawn = ts.isJsxText(node) ? node.text.trim() : '';
      if (WORDS.test(drawn)) return SAME_EVERYWHERE.has(drawn) ? undefined : drawn;
      if (!ts.isJsxAttribute(node) || !SPOKEN.test(node.name.getText())) return undefined;
      const value =
        node.initializer && ts.isJsxExpression(node.initializer) ? node.initializer.expression : node.initializer;
      const isText = value !== undefined && ts.isStringLiteralLike(value) && WORDS.test(value.text);
      return isText && !SAME_EVERYWHERE.has(value.text) ? `${node.name.getText()}="${value.text}"` : undefined;
    });
    expect(found).toEqual([]);
  });

  it('disable a control only while it is busy; a denied one stays focusable and gives its reason', () => {
    const busy = /^(busy|isLoading|disabled|props\.disabled|job\.state === 'cancelling')$/;
    const found = findings((node) => {
      if (!ts.isJsxAttribute(node) || node.name.getText() !== 'disabled') return undefined;
      const value = node.initializer && ts.isJsxExpression(node.initializer) ? node.initializer.expression : undefined;
      return value !== undefined && busy.test(value.getText()) ? undefined : node.getText();
    });
    // A frame has no focus of its own: it only looks like the field inside.
    expect(
      found.filter(
        (line) =>
          !line.startsWith('components/forms/field.tsx') && !line.startsWith('components/forms/native-field.tsx'),
      ),
    ).toEqual([]);
  });

  it('show with a `BusyButton` that an action runs, because a button that is `loading` loses the focus', () => {
    const found = findings((node) => {
      // A property of an object may reach a button by `{...properties}`.
      const isProperty = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
      if (!isProperty && !ts.isJsxAttribute(node)) return undefined;
      if (node.name.getText() !== 'loading') return undefined;
      return isProperty || /Button$/.test(node.parent.parent.tagName.getText()) ? node.getText() : undefined;
    });
    expect(found).toEqual([]);
  });
});
