import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The ways in which a receiver meets a payment that it is asked for the first time. */
export const LIES = [
  'wrong-amount',
  'refused',
  'error-after-effect',
  'error-before-effect',
  'new-code-after-effect',
  'new-code-before-effect',
  'html',
  'busy',
  'cut-after-effect',
  'cut-before-effect',
  'twice',
  'late-answer',
  'late-effect',
] as const;
export type Lie = (typeof LIES)[number];

export interface Habits {
  readonly words: string;
  readonly lies: readonly Lie[];
  /** The share of payments that meet one of the lies. */
  readonly share: number;
}

/** A line of the book. Each line that is `paid` is an effect: money that the user has there. */
export interface Entry {
  readonly payoutId: string;
  readonly userId: string;
  readonly amount: string;
  readonly currency: string;
  readonly state: 'paid' | 'refused';
  /** The amount that it answers, which is a lie where it differs. */
  readonly says: string;
}

/** What the receiver keeps on its disk, and the orders that the campaign gives it. */
export class ReceiverFiles {
  constructor(private readonly directory: string) {}

  get habits(): Habits {
    return JSON.parse(readFileSync(this.habitsFile, 'utf8')) as Habits;
  }

  set habits(habits: Habits) {
    writeFileSync(this.habitsFile, JSON.stringify(habits));
  }

  write(entry: Entry): void {
    const file = openSync(this.book, 'a');
    writeFileSync(file, `${JSON.stringify(entry)}\n`);
    fsyncSync(file);
    closeSync(file);
  }

  /** A line that is still being written is left out. */
  entries(): Entry[] {
    if (!existsSync(this.book)) return [];
    const lines = readFileSync(this.book, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Entry);
  }

  private get book(): string {
    return join(this.directory, 'receiver-book.jsonl');
  }

  private get habitsFile(): string {
    return join(this.directory, 'receiver-habits.json');
  }
}
