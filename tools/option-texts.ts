import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The console's English texts of the settings. They are parsed, because the web is not compiled for the documents. */
const DICTIONARY = 'web/src/pages/setting/option/en.ts';

type Texts = ReadonlyMap<string, string>;

const nameOf = (name: ts.PropertyName): string =>
  ts.isIdentifier(name) || ts.isStringLiteral(name) ? name.text : name.getText();

const textsIn = ({ properties }: ts.ObjectLiteralExpression): Texts =>
  new Map(
    properties.flatMap((property) =>
      ts.isPropertyAssignment(property) && ts.isStringLiteralLike(property.initializer)
        ? [[nameOf(property.name), property.initializer.text]]
        : [],
    ),
  );

/** The texts of one member of the dictionary, by their names. */
function memberOf(member: string): Texts {
  const file = ts.createSourceFile(DICTIONARY, readFileSync(DICTIONARY, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Texts[] = [];
  const visit = (node: ts.Node): void => {
    const isMember = ts.isPropertyAssignment(node) && nameOf(node.name) === member;
    if (isMember && ts.isObjectLiteralExpression(node.initializer)) found.push(textsIn(node.initializer));
    else ts.forEachChild(node, visit);
  };
  visit(file);
  const [texts, another] = found;
  if (!texts || another) throw new Error(`${DICTIONARY} must have one member ${member}`);
  return texts;
}

/** What the console says of each option: its label, and the hint below its field. */
export function optionMeanings(keys: readonly string[]): string[] {
  const [labels, hints] = [memberOf('label'), memberOf('hint')];
  return keys.map((key) => {
    const name = key.replaceAll('.', '_');
    const label = labels.get(name);
    if (label === undefined) throw new Error(`${DICTIONARY} has no label for the option ${key}`);
    return [label, hints.get(name) ?? []].flat().join(': ');
  });
}
