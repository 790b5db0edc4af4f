/** Whether a text contains anything that Markdown might render differently; other texts are shown without loading the renderer. */
export const hasMarks = (text: string): boolean =>
  /[`*_#>~|[\]<!\\&\n]|^\s*(?:[-+]|\d+[.)])\s|https?:|www\.|@/.test(text);
