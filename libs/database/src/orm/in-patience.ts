/** Rejects with this complaint when the work takes longer than `ms`; the work itself goes on. */
export function inPatience<T>(work: Promise<T>, ms: number, complaint: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(complaint)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
