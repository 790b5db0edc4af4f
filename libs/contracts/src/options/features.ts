/** What a switch can need of the product beyond other options. */
export type Feature = 'completion-check';

/**
 * The features that are not built, each with the sentence that refuses a switch which needs it. Whoever builds one takes its row
 * away; the switches, the console and the stored settings follow.
 */
export const missingFeatures: Partial<Record<Feature, string>> = {
  'completion-check': '无法启用：系统还不能检查模型的回复',
};
