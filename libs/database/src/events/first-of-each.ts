/**
 * Events by their ids in small letters, the first of those that share one. A call that was repeated after its process had died is told twice with
 * different contents, and what is booked or logged first counts: in one batch as over many.
 */
export function firstOfEach<Event extends { id: string }>(batch: readonly Event[]): Map<string, Event> {
  const first = new Map<string, Event>();
  for (const event of batch) {
    const id = event.id.toLowerCase();
    if (!first.has(id)) first.set(id, event);
  }
  return first;
}
