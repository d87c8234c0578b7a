import { createInterface } from 'node:readline/promises';
import { printable } from './printable';

/** Where a command reads and writes: of the process, or of a test. */
export interface Terminal {
  /** @throws Error that names a variable which is wrong */
  readonly env: () => NodeJS.ProcessEnv;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Asks only where a person can answer: a script that runs unattended must not wait. */
export async function isConfirmed(question: string, { stdin, stderr }: Terminal): Promise<boolean> {
  if (!stdin.isTTY || !stderr.isTTY) return true;
  const lines = createInterface({ input: stdin, output: stderr });
  const ended = new Promise<string>((end) => lines.once('close', () => end('')));
  const answer = await Promise.race([lines.question(`${printable(question)} [y/N] `), ended]);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}
