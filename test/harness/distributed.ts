import { type DistributedProgram, distributedProgram } from '../../src/dev/engines';

/** A program of the distribution. Where there is none, undefined, and the reason is printed: skip the test. */
export function distributed(packageName: string, file: string): Promise<DistributedProgram | undefined> {
  return distributedProgram(process.env.LOCAL_DIR || '.local', packageName, file).catch((error: Error) => {
    process.stderr.write(`Skipped: ${error.message}\n`);
    return undefined;
  });
}
