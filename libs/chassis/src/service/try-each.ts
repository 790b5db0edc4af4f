/**
 * Runs tasks that end something, one after the other. A failing task must not keep the others from releasing their
 * resources, so what failed is thrown at the end.
 */
export async function tryEach(tasks: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const task of tasks) {
    try {
      await task();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'several duties did not end cleanly');
}
