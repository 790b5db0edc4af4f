/** An example of a model mapping, which its field offers to fill in. */
export const mappingTemplate = '{\n  "gpt-3.5-turbo": "gpt-3.5-turbo-0125"\n}';
