/** Whether a text could look different as Markdown; one that could not needs no program to lay it out. */
export const hasMarks = (text: string): boolean =>
  /[`*_#>~|[\]<!\\&\n]|^\s*(?:[-+]|\d+[.)])\s|https?:|www\.|@/.test(text);
