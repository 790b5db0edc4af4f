interface Call<Answer> {
  unwrap: () => Promise<Answer>;
  reset: () => void;
}

/** The answer, which the store forgets at once: who shows a secret holds it, until its dialog is closed. */
export async function takeOnce<Answer>(call: Call<Answer>): Promise<Answer> {
  const answer = await call.unwrap();
  call.reset();
  return answer;
}
