import type { Worker } from 'node:cluster';
import { within } from '../../../libs/deadline';

/** A process that has not answered by then is left out: one that hangs must not hide the others. */
const ANSWER_WITHIN_MS = 500;
const ALL_WITHIN_MS = 1_000;

/** The answer of one process of the group. */
export interface Answer {
  /** The number of the process in the group. Its successor takes it over. */
  readonly process: number;
  readonly value: unknown;
}

/**
 * A message from a process to the first one, which passes it on to all; answers take the same way
 * back.
 */
type Message =
  | { readonly kind: 'question'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown };

/** Questions that wait for their answers. */
class Waiting {
  private readonly takers = new Map<number, (value: unknown) => void>();
  private last = 0;

  /** @throws DeadlineExceeded */
  async answer(withinMs: number, ask: (id: number) => void): Promise<unknown> {
    const id = ++this.last;
    const answered = new Promise((resolve) => this.takers.set(id, resolve));
    ask(id);
    return within(withinMs, answered).finally(() => this.takers.delete(id));
  }

  take(id: number, value: unknown): void {
    this.takers.get(id)?.(value);
  }
}

const waiting = new Waiting();

/**
 * Asks all processes of the group, from one of them, and returns their answers with its own. A
 * process that does not answer is left out.
 */
export async function askSiblings(): Promise<Answer[]> {
  return (await waiting.answer(ALL_WITHIN_MS, (id) => process.send!({ kind: 'question', id }))) as Answer[];
}

/** Sets the answer of this process of a group. */
export function answerSiblings(answer: () => Promise<unknown>): void {
  process.on('message', (message: Message) => {
    if (message.kind === 'answer') waiting.take(message.id, message.value);
    if (message.kind === 'question') void reply(message.id, answer);
  });
}

async function reply(id: number, answer: () => Promise<unknown>): Promise<void> {
  const value = await answer();
  if (process.connected) process.send!({ kind: 'answer', id, value });
}

/** Passes, in the first process, questions of one process to all, and their answers back. */
export class Exchange {
  /** @param all the processes that serve, by their number */
  constructor(private readonly all: () => ReadonlyMap<number, Worker>) {}

  join(child: Worker): void {
    child.on('message', (message: Message) => {
      if (message.kind === 'answer') waiting.take(message.id, message.value);
      if (message.kind === 'question') void this.answer(child, message.id);
    });
  }

  private async answer(asking: Worker, id: number): Promise<void> {
    const answers = await Promise.all([...this.all()].map(([number, child]) => ask(number, child)));
    if (asking.isConnected()) asking.send({ kind: 'answer', id, value: answers.flat() });
  }
}

async function ask(number: number, child: Worker): Promise<Answer[]> {
  if (!child.isConnected()) return [];
  return waiting
    .answer(ANSWER_WITHIN_MS, (id) => child.send({ kind: 'question', id }))
    .then((value) => [{ process: number, value }])
    .catch(() => []);
}
