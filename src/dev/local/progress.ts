const WIDTH = 30;
const PLAIN_STEPS = 4;

/** A bar on a terminal, a few plain lines anywhere else. */
export class Progress {
  private done = 0;
  private printed = -1;

  constructor(
    private readonly what: string,
    private readonly total: number,
  ) {}

  advance(): void {
    this.moveTo(this.done + 1);
  }

  moveTo(done: number): void {
    this.done = done;
    const steps = process.stdout.isTTY ? WIDTH : PLAIN_STEPS;
    const step = Math.floor((done / this.total) * steps);
    if (step === this.printed) return;
    this.printed = step;
    if (process.stdout.isTTY) process.stdout.write(`\r${this.bar(step)}`);
    else process.stdout.write(`${this.what}: ${done} of ${this.total}\n`);
  }

  end(): void {
    if (process.stdout.isTTY) process.stdout.write('\n');
  }

  private bar(filled: number): string {
    const bar = '█'.repeat(filled) + '░'.repeat(Math.max(0, WIDTH - filled));
    return `${this.what.padEnd(10)}${bar} ${this.done}/${this.total}`;
  }
}
