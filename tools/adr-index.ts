import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = 'docs/adr';

/** The title of a record without its number, and the line below it, which says when it was decided and what replaced it. */
function rowOf(file: string): string {
  const [, number, title, status] =
    /^# (\d{4})\. (.+)\n\n([^\n]+(?:\n[^\n]+)*)/.exec(readFileSync(`${FOLDER}/${file}`, 'utf8')) ?? [];
  if (!number || !title || !status || !file.startsWith(`${number}-`))
    throw new Error(`${FOLDER}/${file} must begin with "# ${file.slice(0, 4)}. its title", and its date and state`);
  return `| [${number}](${file}) | ${title} | ${status.replaceAll('\n', ' ')} |\n`;
}

/** The text of docs/adr/README.md: how to write a record, and a list of all. */
export const adrIndex = (): string => `# Architecture decision records

One record of half a page for each decision that had a serious alternative, or that departs from \`docs/architecture.md\`. Copy the template below to
\`NNNN-what-was-decided.md\` with the next number. The decision of an accepted record is not edited but superseded by a later record; its wording may be
made clearer. \`npm run docs\` writes this page from the records; its text is in \`tools/adr-index.ts\`.

| record | decision | state |
| --- | --- | --- |
${readdirSync(FOLDER)
  .filter((file) => /^\d{4}-.*\.md$/.test(file))
  .sort()
  .map(rowOf)
  .join('')}
## Template

\`\`\`markdown
# NNNN. We do X

2026-11-21, accepted (or: superseded by NNNN)

## Context

What forces the decision: facts, measurements, constraints.

## Decision

What we do, in the present tense.

## Instead of

Each rejected alternative with the reason.

## Consequences

What becomes easier, what becomes harder, what would make us reconsider.
\`\`\`
`;
