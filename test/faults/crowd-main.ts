import { NoAnswer } from './api-call';
import { Crowd } from './crowd';
import type { CrowdReport, CrowdRequest } from './crowd-process';

/** If the campaign has ended, nobody needs the report. */
const send = (report: CrowdReport): boolean => process.send!(report, () => undefined);
const crowd = new Crowd(process.argv.slice(2), send);
const methods = crowd as unknown as Record<
  keyof Crowd,
  (...args: readonly unknown[]) => Promise<void> | void
>;

async function answer({ id, method, args }: CrowdRequest): Promise<void> {
  try {
    await methods[method](...args);
    send({ kind: 'done', id });
  } catch (error) {
    const fault = error instanceof NoAnswer ? error.message : String((error as Error).stack);
    send({ kind: 'done', id, fault });
  }
}

process.on('message', (request: CrowdRequest) => void answer(request));
process.on('disconnect', () => process.exit());
