/** Whoever waits, by owner: each owner's turn comes once a round, however much another has put in. */
export class FairQueue<Job> {
  private readonly waiting = new Map<number, Job[]>();
  private count = 0;

  constructor(
    private readonly most: number,
    private readonly mostPerOwner: number,
  ) {}

  /** False: there are too many already. */
  add(owner: number, job: Job): boolean {
    const own = this.waiting.get(owner) ?? [];
    if (this.count >= this.most || own.length >= this.mostPerOwner) return false;
    own.push(job);
    this.count += 1;
    this.waiting.set(owner, own);
    return true;
  }

  next(): Job | undefined {
    const [turn] = this.waiting;
    if (!turn) return undefined;
    const [owner, own] = turn;
    const job = own.shift();
    this.count -= 1;
    // To the end of the round.
    this.waiting.delete(owner);
    if (own.length > 0) this.waiting.set(owner, own);
    return job;
  }
}
