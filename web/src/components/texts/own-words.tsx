interface OwnWordsProps {
  text: string;
  /** Shows the text as a tooltip as well, for cells that may clip it. */
  hint?: boolean;
}

/**
 * Text of an operator or a user, marked as being in an unknown language. The text is a prop, so that the element can be part of a
 * translated sentence.
 */
export const OwnWords = ({ text, hint = false }: OwnWordsProps) => (
  <span lang="" title={hint ? text : undefined}>
    {text}
  </span>
);
