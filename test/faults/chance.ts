import { createHash } from 'node:crypto';

/** Repeatable random numbers: the same words always give the same numbers. */
export class Chance {
  private counter = 0;

  constructor(private readonly words: string) {}

  fraction(): number {
    const digest = createHash('sha256').update(`${this.words}/${this.counter++}`).digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  }

  /** Returns an integer from `least` to `most`, inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1));
  }

  isTrue(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.integer(0, list.length - 1)]!;
  }

  shuffle<T>(list: readonly T[]): T[] {
    const keyed = list.map((item) => ({ item, key: this.fraction() }));
    return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
  }
}
