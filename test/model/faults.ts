import {
  type NotesReply,
  type OwnRedis,
  type Reservation,
  Reservations,
  ShardTrust,
} from '../../libs/redis-scripts';
import { ClaimRepository, type ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import type { Books } from '../harness/books';

export type FaultPoint = 'confirm' | 'release' | 'acknowledge';

/** Does the work, skips it, or does something else before or after it. */
export type Strike = (work: () => Promise<unknown>, reservations: readonly Reservation[]) => Promise<unknown>;

/** Counts events over all stories: a test in which an event never happened must not pass. */
export class Tally {
  readonly counts = new Map<string, number>();

  note(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}

/** Arms at most one fault. It strikes once, at the first pass of its place. */
export class Faults {
  private armed?: { readonly name: string; readonly place: FaultPoint; readonly strike: Strike };

  constructor(private readonly tally: Tally) {}

  arm(name: string, place: FaultPoint, strike: Strike): void {
    this.armed = { name, place, strike };
  }

  disarm(): void {
    this.armed = undefined;
  }

  async passing<T>(
    place: FaultPoint,
    work: () => Promise<T>,
    reservations: readonly Reservation[] = [],
  ): Promise<T> {
    if (this.armed?.place !== place) return work();
    const { name, strike } = this.armed;
    this.disarm();
    this.tally.note(name);
    return (await strike(work, reservations)) as T;
  }
}

/** Postgres as seen by a process with a bad network. */
export class FaultyClaims extends ClaimRepository {
  constructor(
    { dataSource, config }: Pick<Books, 'dataSource' | 'config'>,
    private readonly faults: Faults,
    private readonly tally: Tally,
  ) {
    super(dataSource, config);
  }

  override async confirm(reservations: readonly Reservation[]): Promise<ConfirmVerdict[]> {
    const verdicts = await this.faults.passing('confirm', () => super.confirm(reservations), reservations);
    for (const { kind } of verdicts) this.tally.note(`verdict ${kind}`);
    return verdicts;
  }
}

/** Redis as seen by a process with a bad network. */
export class FaultyReservations extends Reservations {
  constructor(
    own: OwnRedis,
    private readonly faults: Faults,
  ) {
    super(own);
  }

  override release(...args: Parameters<Reservations['release']>): Promise<void> {
    return this.faults.passing('release', () => super.release(...args));
  }

  override acknowledge(...args: Parameters<Reservations['acknowledge']>): Promise<void> {
    return this.faults.passing('acknowledge', () => super.acknowledge(...args));
  }
}

/** A server that loses its tail. */
export class RestartingServer extends ShardTrust {
  starts = 1;

  protected override async readNotes(shards: readonly number[]): Promise<NotesReply> {
    const [serverId, ...notes] = await super.readNotes(shards);
    return [`${serverId}/${this.starts}`, ...notes];
  }
}

const lost: Strike = () => Promise.reject(new Error('made to fail before'));

const replyLost: Strike = async (work) => {
  await work();
  throw new Error('made to fail after');
};

const before =
  (accident: () => Promise<unknown>): Strike =>
  async (work) => {
    await accident();
    return work();
  };

const after =
  (accident: () => Promise<unknown>): Strike =>
  async (work) => {
    const result = await work();
    await accident();
    return result;
  };

export const strikes = { lost, replyLost, before, after };
