/** Where somebody stands who has joined; `lost`: Redis was emptied in this step, and what is under way may bring them back. */
type State = 'waits' | 'served' | 'lost';

/** Everybody who has joined to wait for a packet of one rain, in this order. */
export class WaitingLine {
  constructor(private readonly members: Map<string, State> = new Map()) {}

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

  /** Redis was emptied. */
  lose(): void {
    for (const userId of this.members.keys()) this.members.set(userId, 'lost');
  }

  /** Nothing is under way any more that could bring somebody back. */
  forgetLost(): void {
    for (const userId of this.those('lost')) this.members.delete(userId);
  }

  /** The rain is over, and nobody waits for it any more. */
  disperse(): void {
    for (const userId of this.waiters) this.members.delete(userId);
  }

  copy(): WaitingLine {
    return new WaitingLine(new Map(this.members));
  }

  private those(state: State): string[] {
    return [...this.members].filter(([, own]) => own === state).map(([userId]) => userId);
  }
}
