import { setTimeout as pause } from 'node:timers/promises';

const POLL_MS = 5;

/** Polls until the condition holds. @throws Error with one line if it does not in time */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limitMs: number,
  pollMs = POLL_MS,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain for ${what}.`);
    await pause(pollMs);
  }
}
