import type { Worker } from 'node:cluster';
import { within } from '../../../libs/deadline';

/** A process that has not answered by then is left out: one process that hangs must not hide the others. */
const ANSWER_WITHIN_MS = 500;
const ALL_WITHIN_MS = 1_000;

/** What one process of the group answered. */
export interface Answer {
  /** Its number in the group, which its successor takes over. */
  readonly process: number;
  readonly value: unknown;
}

/** From a process to the first one, and on to all; back the same way. */
type Message =
  | { readonly kind: 'question'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown };

/** Who waits for the answer to a question. */
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

/** In a process of a group: what all of them answer, this one included, except those that do not. */
export async function askSiblings(): Promise<Answer[]> {
  return (await waiting.answer(ALL_WITHIN_MS, (id) => process.send!({ kind: 'question', id }))) as Answer[];
}

/** In a process of a group: what this one answers. */
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

/** In the first process: passes questions of one process on to all, and their answers back. */
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
