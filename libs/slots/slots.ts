/**
 * Lets a limited number of tasks run at a time. There is no queue: without a free slot the task is
 * refused at once, so that heavy work can neither pile up nor hold what others need.
 */
export class Slots {
  private taken = 0;

  constructor(private readonly count: number) {}

  /** @throws the error that `refusal` makes, if no slot is free */
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
