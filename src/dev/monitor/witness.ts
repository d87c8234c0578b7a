import { randomUUID } from 'node:crypto';
import { type Checkpoint, CLOCKS_WITHIN_SECONDS, openCheckpoint } from '../../../libs/claim-log';
import { fetchPatiently } from '../../../libs/client';
import { ANSWERS_WITHIN_MS, type LogMonitor, Rewritten } from './log-monitor';
import type { Signed } from './signed-record';
import type { WitnessKey } from './witness-key';

/** Signs what a monitor has found consistent, and hands it to the log. */
export class Witness {
  private handedSize = 0;

  constructor(
    private readonly key: WitnessKey,
    private readonly url: string,
  ) {}

  /**
   * Signs the checkpoint that the monitor has just read, unless that was handed over before. What is signed is
   * recorded before.
   * @throws Rewritten if it does not begin with what the key has signed; or any other error when nothing was signed
   */
  async sign(monitor: LogMonitor): Promise<{ size: number; line: string } | undefined> {
    const { checkpoint, verifierKey } = monitor.kept!;
    const tree = openCheckpoint(checkpoint, verifierKey)!;
    if (tree.size === this.handedSize) return undefined;
    const { record, signer } = this.key;
    const revision = record.read();
    const at = Math.floor(Date.now() / 1000);
    refuseClock(at, monitor.serverSeconds);
    const last = revision.logs[tree.origin];
    if (last) await this.refuseOther(monitor, tree, last, at);
    const logs = { ...revision.logs, [tree.origin]: { checkpoint, verifierKey, at } };
    if (!record.replace(revision, logs))
      throw new Error('Another monitor signs with this key at the same time: it goes first.');
    return { size: tree.size, line: signer.cosign(checkpoint, at).line };
  }

  /** @throws Error when the log does not take it */
  async handOver({ size, line }: { size: number; line: string }): Promise<void> {
    const response = await fetchPatiently(`${this.url}/v1/log/cosignatures`, {
      method: 'POST',
      // Handing in the same twice changes nothing.
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({ size, cosignature: line }),
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The cosignature of ${size} leaves is refused: ${detailOf(answer)}`);
    this.handedSize = size;
  }

  private async refuseOther(monitor: LogMonitor, tree: Checkpoint, last: Signed, at: number): Promise<void> {
    const former = openCheckpoint(last.checkpoint, last.verifierKey);
    if (!former)
      throw new Error('The record of what this key has signed has a checkpoint that is not valid.');
    if (tree.size < former.size)
      throw new Error(
        `Nothing is signed: the log shows ${tree.size} leaves, and this key has signed ${former.size}.`,
      );
    if (!(await monitor.isExtended(former, tree)))
      throw new Rewritten(
        `The tree of ${tree.size} leaves does not begin with the ${former.size} that this key has signed: ` +
          `history has a fork. Both are signed:\n${last.checkpoint}\n${monitor.kept!.checkpoint}`,
      );
    if (at < last.at)
      throw new Error(
        `Nothing is signed: this clock says ${instantOf(at)}, and the key has signed at ${instantOf(last.at)}. Set the clock right.`,
      );
  }
}

/** As the log does. A time that is recorded cannot be taken back: the right clock would be one that was set back. */
function refuseClock(at: number, serverSeconds: number | undefined): void {
  if (serverSeconds === undefined || Math.abs(at - serverSeconds) <= CLOCKS_WITHIN_SECONDS) return;
  throw new Error(
    `Nothing is signed: this clock says ${instantOf(at)}, and that of the server ${instantOf(serverSeconds)}. One of them is wrong.`,
  );
}

const instantOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

function detailOf(answer: string): string {
  try {
    const { detail } = JSON.parse(answer) as { detail?: unknown };
    return typeof detail === 'string' ? detail : answer;
  } catch {
    return answer;
  }
}
