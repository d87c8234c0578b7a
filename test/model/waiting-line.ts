/** Who waits for a packet of one rain: everybody who has joined, in this order, and whether they have been served. */
export class WaitingLine {
  constructor(private readonly members: Map<string, 'waits' | 'served'> = new Map()) {}

  get waiters(): string[] {
    return this.those('waits');
  }

  get served(): string[] {
    return this.those('served');
  }

  /** After everybody else, unless the user waits already. */
  join(userId: string): void {
    if (this.members.get(userId) === 'waits') return;
    this.members.delete(userId);
    this.members.set(userId, 'waits');
  }

  serve(userId: string): void {
    this.members.set(userId, 'served');
  }

  /** What the user was given was not free: they have their old place again. */
  comeBack(userId: string): void {
    if (this.members.has(userId)) this.members.set(userId, 'waits');
  }

  /** The rain is over, and nobody waits for it any more. */
  disperse(): void {
    for (const userId of this.waiters) this.members.delete(userId);
  }

  copy(): WaitingLine {
    return new WaitingLine(new Map(this.members));
  }

  private those(state: 'waits' | 'served'): string[] {
    return [...this.members].filter(([, own]) => own === state).map(([userId]) => userId);
  }
}
