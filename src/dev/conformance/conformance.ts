import { randomBytes } from 'node:crypto';
import { Bench, type Settings } from './bench';
import { CHECKS } from './checks';
import { Fault, ReceiverClient } from './receiver-client';

export interface Result {
  readonly name: string;
  readonly claim: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** What the receiver did, or why the check was skipped. */
  readonly reason?: string;
}

export interface Receiver {
  readonly url: string;
  readonly secret: string;
  readonly timeoutMs: number;
}

/** Runs every check. Ids are new in each run and do not appear in the results. */
export async function conform(
  { url, secret, timeoutMs }: Receiver,
  settings: Settings,
  progress: (line: string) => void = () => undefined,
): Promise<Result[]> {
  const client = new ReceiverClient(url.replace(/\/$/, ''), [secret], timeoutMs);
  const runId = `k${randomBytes(5).toString('hex')}`;
  const bench = new Bench(runId, client, settings, new Date().toISOString());
  const results: Result[] = [];
  for (const { name, claim, run } of CHECKS) {
    progress(name);
    try {
      const skipped = await run(bench);
      results.push(
        skipped === undefined
          ? { name, claim, result: 'passed' }
          : { name, claim, result: 'skipped', reason: skipped },
      );
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      results.push({ name, claim, result: 'failed', reason: error.message });
    }
  }
  client.forgetConnections();
  return results;
}

export function reportOf(results: readonly Result[]): string {
  const lines = results.flatMap(({ name, claim, result, reason }) => [
    `${(result === 'failed' ? 'FAILED' : result).padEnd(8)} ${name.padEnd(24)} ${claim}`,
    ...(reason === undefined
      ? []
      : [`${' '.repeat(34)}${result === 'failed' ? 'But ' : 'Skipped: '}${reason}.`]),
  ]);
  const count = (wanted: Result['result']) => results.filter(({ result }) => result === wanted).length;
  return [
    ...lines,
    `${results.length} checks: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped.`,
  ].join('\n');
}
