import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Slots } from '../../../libs/slots';
import { busy, type Caller } from '../../platform/http';
import { creationUnderWay } from '../activity';

/** Writing more packets than this holds a connection long enough for others to miss it. */
const PACKETS_MANY = 1_000;

const AT_ONCE_MAX = 2;

/** Keeps large creations and top-ups few: each holds a connection for seconds. */
@Injectable()
export class LargeWrites {
  private readonly slots = new Slots(AT_ONCE_MAX);

  /**
   * Runs the whole of a write, from before its transaction until its packets are loaded.
   * @throws busy
   */
  admit<T>({ role }: Caller, packetCount: number, write: () => Promise<T>): Promise<T> {
    if (packetCount <= PACKETS_MANY) return write();
    return this.slots.run(role, write, () =>
      busy('Other large activities are being written; try again in a moment.', { retryAfterSeconds: 1 }),
    );
  }
}

/**
 * Lets large writes of one sponsor run one at a time, across all processes: the wallet may be able to pay for
 * only one of them, which turns out only at the end.
 *
 * @throws creationUnderWay
 */
export async function oneAtATime(tx: EntityManager, sponsorId: string, packetCount: number): Promise<void> {
  if (packetCount <= PACKETS_MANY) return;
  const [row] = await tx.query<{ locked: boolean }[]>(
    `select pg_try_advisory_xact_lock(hashtextextended('create:' || $1, 0)) as locked`,
    [sponsorId],
  );
  if (row!.locked) return;
  throw creationUnderWay('Another large activity of this sponsor is being written.', {
    retryAfterSeconds: 1,
  });
}
