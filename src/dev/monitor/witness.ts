import { randomUUID } from 'node:crypto';
import { type Checkpoint, CLOCKS_WITHIN_SECONDS, openCheckpoint } from '../../../libs/claim-log';
import { fetchPatiently } from '../../../libs/client';
import { ANSWERS_WITHIN_MS, type LogMonitor, Rewritten } from './log-monitor';
import type { Signed } from './signed-record';
import type { WitnessKey } from './witness-key';

/** While nobody wins, the time of the last signature says that the witness still sees the log. */
const RENEWED_AFTER_SECONDS = 3_600;

interface Cosigned {
  readonly origin: string;
  readonly size: number;
  readonly at: number;
  readonly line: string;
}

/** Signs what a monitor has found consistent, and hands it to the log. */
export class Witness {
  /** The last that was signed here, and whether the log has taken it. */
  private last?: Cosigned;
  private isHandedIn = false;

  constructor(
    private readonly key: WitnessKey,
    private readonly url: string,
  ) {}

  /**
   * Signs the checkpoint that the monitor has just read, unless that was handed over within the hour. A
   * signature is recorded before it is made, and a checkpoint whose signature the log has not accepted yet is
   * not signed again.
   * @throws Rewritten if it does not begin with what the key has signed; or any other error when nothing was
   *   signed
   */
  async sign(monitor: LogMonitor): Promise<Cosigned | undefined> {
    const { checkpoint, verifierKey } = monitor.kept!;
    const tree = openCheckpoint(checkpoint, verifierKey)!;
    const at = Math.floor(Date.now() / 1000);
    const validSeconds = this.isHandedIn ? RENEWED_AFTER_SECONDS : CLOCKS_WITHIN_SECONDS / 2;
    if (this.last?.size === tree.size && Math.abs(at - this.last.at) < validSeconds)
      return this.isHandedIn ? undefined : this.last;
    const { record, signer } = this.key;
    const revision = record.read();
    refuseClock(at, monitor.serverSeconds);
    const last = revision.logs[tree.origin];
    if (last) await this.refuseOther(monitor, tree, last, at);
    const logs = { ...revision.logs, [tree.origin]: { checkpoint, verifierKey, at } };
    if (!record.replace(revision, logs))
      throw new Error('Another monitor signs with this key at the same time: it goes first.');
    this.isHandedIn = false;
    return (this.last = {
      origin: tree.origin,
      size: tree.size,
      at,
      line: signer.cosign(checkpoint, at).line,
    });
  }

  /** @throws Error when the log does not take it */
  async handOver({ size, line }: Pick<Cosigned, 'size' | 'line'>): Promise<void> {
    const response = await fetchPatiently(`${this.url}/v1/log/cosignatures`, {
      method: 'POST',
      // Handing in the same twice changes nothing.
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      waitsFor: [429, 503],
      body: JSON.stringify({ size, cosignature: line }),
      signal: AbortSignal.timeout(ANSWERS_WITHIN_MS),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`The cosignature of ${size} leaves is refused: ${detailOf(answer)}`);
    this.isHandedIn = true;
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
          `history has a fork.`,
        [last.checkpoint, monitor.kept!.checkpoint],
      );
    if (at < last.at)
      throw new Error(
        `Nothing is signed: this clock says ${instantOf(at)}, and the key has signed at ${instantOf(last.at)}. Set the clock right.`,
      );
  }
}

/** As the log does. A time that is recorded cannot be taken back: the right clock would be one that was set back. */
function refuseClock(at: number, serverSeconds: number | undefined): void {
  if (serverSeconds === undefined)
    throw new Error('Nothing is signed: the server sends no Date with which this clock could be compared.');
  if (Math.abs(at - serverSeconds) <= CLOCKS_WITHIN_SECONDS) return;
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
