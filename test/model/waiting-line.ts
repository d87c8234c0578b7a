/** `lost`: Redis was emptied in this step, and work in progress may bring the user back. */
type State = 'waits' | 'served' | 'lost';

/** All users who have joined to wait for a packet of one rain, in this order. */
export class WaitingLine {
  constructor(private readonly members: Map<string, State> = new Map()) {}

  get waiters(): string[] {
    return this.those('waits');
  }

  get served(): string[] {
    return this.those('served');
  }

  join(userId: string): void {
    if (this.members.get(userId) === 'waits') return;
    this.members.delete(userId);
    this.members.set(userId, 'waits');
  }

  serve(userId: string): void {
    this.members.set(userId, 'served');
  }

  /** Gives a user their old place again, because the packet that they were given was not free. */
  comeBack(userId: string): void {
    if (this.members.has(userId)) this.members.set(userId, 'waits');
  }

  lose(): void {
    for (const userId of this.members.keys()) this.members.set(userId, 'lost');
  }

  /** Forgets lost users: there is no longer any work in progress that could bring them back. */
  forgetLost(): void {
    for (const userId of this.those('lost')) this.members.delete(userId);
  }

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
