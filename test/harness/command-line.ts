import { execFile, type ExecFileOptions } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { runAdmin } from '../../src/commands/admin/run';

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** The words of a command line without quotes. */
export const typed = (line: string): string[] => line.split(' ');

/** Runs a program until it ends. Its code is NaN if a signal ended it, which is never an expected exit. */
export const runProgram = (
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<Ended> =>
  new Promise((end) => {
    execFile(program, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) =>
      end({ code: error ? Number(error.code ?? NaN) : 0, stdout, stderr }),
    );
  });

/** Runs an operator's command in this process, as its program does. */
export async function runCommand(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  stdin = '',
): Promise<Ended> {
  const [stdout, stderr] = [new Kept(), new Kept()];
  const code = await runAdmin(args, { env: () => env, stdin: Readable.from([stdin]), stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}
