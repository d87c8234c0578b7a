const MS_PER_SECOND = 1000;

/** Prints a line for each step: its result and how long it took. */
export class Steps {
  private failures = 0;

  get passed(): boolean {
    return this.failures === 0;
  }

  /** @throws the step's error: no later step could succeed */
  async run<T>(what: string, step: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    const seconds = () => ((performance.now() - startedAt) / MS_PER_SECOND).toFixed(1);
    try {
      const result = await step();
      console.log(`ok     ${what} (${seconds()} s)`);
      return result;
    } catch (error) {
      console.log(`FAILED ${what} (${seconds()} s)`);
      throw error;
    }
  }

  /** Checks a value that later steps do not depend on: they run in any case. */
  check(what: string, actual: unknown, expected: unknown): void {
    const [found, wanted] = [actual, expected].map((value) => JSON.stringify(value));
    if (found === wanted) return console.log(`ok     ${what}`);
    this.failures += 1;
    console.log(`FAILED ${what}: expected ${wanted}, found ${found}`);
  }
}
