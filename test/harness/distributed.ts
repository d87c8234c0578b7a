import { type DistributedProgram, distributedProgram } from '../../src/dev/engines';

const fetchProgram = (packageName: string, file: string): Promise<DistributedProgram> =>
  distributedProgram(process.env.LOCAL_DIR || '.local', packageName, file);

/** A Python without packages, which runs the checkers of `examples`. */
export const barePython = (): Promise<DistributedProgram> =>
  fetchProgram('python3-minimal', 'usr/bin/python3');

/** Returns a program of the distribution. If there is none, prints why: the test is then skipped. */
export function distributed(packageName: string, file: string): Promise<DistributedProgram | undefined> {
  return fetchProgram(packageName, file).catch((error: Error) => {
    process.stderr.write(`Skipped: ${error.message}\n`);
    return undefined;
  });
}
