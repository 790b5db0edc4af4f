/** For objects with more members, names are looked up in a set. */
const FEW = 8;

/** The names of one object that were seen so far. */
export class SeenNames {
  private readonly few: string[] = [];
  private many: Set<string> | undefined;

  /** False when the name was added before. */
  add(name: string): boolean {
    if (this.many ? this.many.has(name) : this.few.includes(name)) return false;
    if (this.many) this.many.add(name);
    else if (this.few.push(name) > FEW) this.many = new Set(this.few);
    return true;
  }
}
