import {
  type Checkpoint,
  CLOCKS_WITHIN_SECONDS,
  nameOfWitness,
  openCheckpoint,
  openCosignature,
} from '../../../libs/claim-log';
import { type LogMonitor, Rewritten } from './log-monitor';

/** Too few witnesses have signed. */
export class Unwitnessed extends Error {}

/** Demands that some witnesses sign what a monitor reads. */
export class WitnessDemand {
  /** A tree that they had not signed, and since when this monitor knows it. */
  private awaited?: { readonly size: number; readonly sinceMs: number };

  /**
   * @param lagMs how long they may take
   * @param ageSecondsMax the greatest age of a signature that counts
   */
  constructor(
    private readonly count: number,
    private readonly witnesses: readonly string[],
    private readonly lagMs: number,
    private readonly ageSecondsMax = Infinity,
  ) {}

  /**
   * Returns a line about what the witnesses have signed of the log, as the monitor has read it. Whatever keeps the
   * signatures from being checked counts as a lack of them: otherwise a server could refuse just this request.
   * @throws Unwitnessed, Rewritten
   */
  async check(monitor: LogMonitor): Promise<string> {
    const { checkpoint, verifierKey } = monitor.kept!;
    const seen = openCheckpoint(checkpoint, verifierKey)!;
    try {
      return await this.checkSigned(monitor, seen, verifierKey);
    } catch (error) {
      if (error instanceof Rewritten || error instanceof Unwitnessed) throw error;
      return this.lack(
        seen.size,
        `whether ${this.wanted} have signed cannot be read: ${(error as Error).message}`,
      );
    }
  }

  /**
   * Returns a line about a pass that has failed after it had read a checkpoint.
   * @throws Unwitnessed
   */
  missed(size: number, reason: Error): string {
    return this.lack(size, `whether ${this.wanted} have signed is not known: ${reason.message}`);
  }

  private async checkSigned(monitor: LogMonitor, seen: Checkpoint, verifierKey: string): Promise<string> {
    const known = this.witnesses.map(nameOfWitness).join(',');
    const query = `quorum=${this.count}&of=${encodeURIComponent(known)}`;
    const note = await monitor.cosigned(query);
    const all = note === undefined ? [] : signersOf(note, this.witnesses);
    const now = Date.now() / 1000;
    // A time in the future would look new until it has passed.
    const signers = all.filter(
      ({ at }) => at <= now + CLOCKS_WITHIN_SECONDS && at >= now - this.ageSecondsMax,
    );
    if (note === undefined || all.length < this.count)
      return this.lack(seen.size, `${this.wanted} have signed no checkpoint together`);
    if (signers.length < this.count) {
      const bound =
        this.ageSecondsMax === Infinity ? '' : ` not older than ${this.ageSecondsMax} seconds, nor`;
      const times = all.map(({ name, at }) => `${name} at ${instantOf(at)}`).join(', ');
      return this.lack(
        seen.size,
        `${this.wanted} have signed no checkpoint together at a time that is${bound} ahead of this clock (${times})`,
      );
    }
    const signed = openCheckpoint(note, verifierKey);
    if (!signed)
      return this.lack(
        seen.size,
        `what ${this.wanted} have signed together is not signed by ${verifierKey}, as while the log changes its key`,
      );
    await monitor.requireSame(signed, seen, note);
    const oldest = Math.min(...signers.map(({ at }) => at));
    const names = signers.map(({ name }) => name).join(' and ');
    const line = `${names} have signed ${signed.size} leaves, the first of them at ${instantOf(oldest)}`;
    if (signed.size >= (this.awaited?.size ?? seen.size)) {
      this.awaited = signed.size < seen.size ? { size: seen.size, sinceMs: performance.now() } : undefined;
      return line;
    }
    return this.lack(seen.size, `${this.wanted} have signed only ${signed.size} of ${seen.size} leaves`);
  }

  private lack(size: number, said: string): string {
    this.awaited ??= { size, sinceMs: performance.now() };
    const seconds = (performance.now() - this.awaited.sinceMs) / 1000;
    if (seconds * 1000 >= this.lagMs)
      throw new Unwitnessed(
        `${said}. The log has had ${this.awaited.size} leaves for ${Math.floor(seconds)} seconds or longer.`,
      );
    return `waiting: ${said}`;
  }

  private get wanted(): string {
    return `${this.count} of ${this.witnesses.map(nameOfWitness).join(', ')}`;
  }
}

const signersOf = (note: string, witnesses: readonly string[]): { name: string; at: number }[] =>
  witnesses.flatMap((key) => {
    const cosignature = openCosignature(note, key);
    return cosignature ? [{ name: nameOfWitness(key), at: cosignature.at }] : [];
  });

/** The time may be anything: someone else has written it. */
function instantOf(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} seconds after 1970` : date.toISOString();
}
