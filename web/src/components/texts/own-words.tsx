interface OwnWordsProps {
  text: string;
  /** For a cell that may cut them. */
  hint?: boolean;
}

/** Words of an operator or a user, in whatever language they write; a prop, so that a translated sentence can hold them. */
export const OwnWords = ({ text, hint = false }: OwnWordsProps) => (
  <span lang="" title={hint ? text : undefined}>
    {text}
  </span>
);
