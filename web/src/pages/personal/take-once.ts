interface Call<Answer> {
  unwrap: () => Promise<Answer>;
  reset: () => void;
}

/**
 * Returns the result of a mutation and removes it from the store at once. Secrets are held only by the component that
 * shows them, until its dialog is closed.
 */
export async function takeOnce<Answer>(call: Call<Answer>): Promise<Answer> {
  const answer = await call.unwrap();
  call.reset();
  return answer;
}
