/**
 * Lets at most this many pieces of work run at a time. Nobody waits for a slot: work that finds none is refused at once,
 * so that heavy work can neither pile up nor hold what others need.
 */
export class Slots {
  private taken = 0;

  constructor(private readonly count: number) {}

  /** @throws what `refusal` makes, when no slot is free */
  async run<T>(work: () => Promise<T>, refusal: () => Error): Promise<T> {
    if (this.taken >= this.count) throw refusal();
    this.taken += 1;
    try {
      return await work();
    } finally {
      this.taken -= 1;
    }
  }
}
