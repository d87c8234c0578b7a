import { type DistributedProgram, distributedProgram } from '../../src/dev/engines';

/** Returns a program of the distribution. If there is none, prints why: the test is then skipped. */
export function distributed(packageName: string, file: string): Promise<DistributedProgram | undefined> {
  return distributedProgram(process.env.LOCAL_DIR || '.local', packageName, file).catch((error: Error) => {
    process.stderr.write(`Skipped: ${error.message}\n`);
    return undefined;
  });
}
