import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The wrong ways in which a receiver may react when a payment is first requested. */
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
  /** How late the late answers and effects are. */
  readonly lateMs?: readonly [least: number, most: number];
  /** No question about payments to these users gets a clear answer. */
  readonly unclearTo?: readonly string[];
  /** The most payments with a wrong amount: people have to end each of them. */
  readonly wrongAmountsMax?: number;
}

/** A line of the book. Each line with `paid` is an effect: money that the user has there. */
export interface Entry {
  readonly payoutId: string;
  readonly userId: string;
  readonly amount: string;
  readonly currency: string;
  readonly state: 'paid' | 'refused';
  /** The amount that the receiver reports: a lie, if it differs. */
  readonly says: string;
}

/** The receiver's data on disk, and the orders that the campaign gives it. */
export class ReceiverFiles {
  private readonly known: Entry[] = [];
  private knownBytes = 0;

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

  /** Leaves out a line that is still being written, and does not read earlier lines again. */
  entries(): readonly Entry[] {
    if (!existsSync(this.book)) return [];
    const file = openSync(this.book, 'r');
    const bytes = Buffer.alloc(fstatSync(file).size - this.knownBytes);
    const count = readSync(file, bytes, 0, bytes.length, this.knownBytes);
    closeSync(file);
    const end = bytes.subarray(0, count).lastIndexOf('\n') + 1;
    for (const line of bytes.subarray(0, end).toString().split('\n').slice(0, -1))
      this.known.push(JSON.parse(line) as Entry);
    this.knownBytes += end;
    return this.known;
  }

  private get book(): string {
    return join(this.directory, 'receiver-book.jsonl');
  }

  private get habitsFile(): string {
    return join(this.directory, 'receiver-habits.json');
  }
}
