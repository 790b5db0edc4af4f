/**
 * Events by lower-case id, keeping the first of duplicates. A call that was repeated after its process had died is published twice with
 * different contents, and the version that was booked or logged first must count, within a batch as across batches.
 */
export function firstOfEach<Event extends { id: string }>(batch: readonly Event[]): Map<string, Event> {
  const first = new Map<string, Event>();
  for (const event of batch) {
    const id = event.id.toLowerCase();
    if (!first.has(id)) first.set(id, event);
  }
  return first;
}
