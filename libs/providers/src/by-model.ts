/** A capability for all models, or for the model names that the function accepts. */
export type ByModel = true | ((model: string) => boolean);

export const runsAt = (runs: ByModel | undefined, model: string): boolean =>
  typeof runs === 'function' ? runs(model) : runs === true;
