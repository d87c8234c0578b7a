import type { Worker } from 'node:cluster';
import { within } from '../../../libs/deadline';

/** A process that hangs must not hide the others: it is left out. */
const ANSWER_WITHIN_MS = 500;

/** The first process passes everything on. Without it there are no answers, not even one's own. */
const ALL_WITHIN_MS = 2_000;

export interface Answer {
  /** Its successor takes the number over. */
  readonly process: number;
  readonly value: unknown;
}

/** The first process passes a message on to all; answers take the same way back. */
type Message =
  | { readonly kind: 'question'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown };

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
 * Returns the answers of all processes of the group, this one's too.
 *
 * @throws DeadlineExceeded when the first process does not answer
 */
export async function askSiblings(): Promise<Answer[]> {
  return (await waiting.answer(ALL_WITHIN_MS, (id) => process.send!({ kind: 'question', id }))) as Answer[];
}

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

/** In the first process: passes one process's questions to all, and their answers back. */
export class Exchange {
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
