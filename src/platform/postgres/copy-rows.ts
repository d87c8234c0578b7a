import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DatabaseError, type PoolClient } from 'pg';
import { from } from 'pg-copy-streams';
import type { EntityManager } from 'typeorm';
import { ConnectionLost } from './postgres.error';

/** Only this limit ends a transaction whose process has vanished between two rows. */
const SILENT_SECONDS = 5;

/**
 * Writes many rows by one `copy`, in two thirds of the time of an insert. A stream whose connection is lost
 * may end in many ways, so this is detected by exclusion: the error came neither from the pages nor from the
 * server.
 *
 * @param target table and columns
 * @param pages rows in the text format of `copy`: a tab between columns, a line feed after each row
 * @throws whatever `pages` throws; the server's error; ConnectionLost
 */
export async function copyRows(
  tx: EntityManager,
  target: string,
  pages: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const client = (await tx.queryRunner!.connect()) as PoolClient;
  await tx.query(
    `set local tcp_keepalives_idle = ${SILENT_SECONDS}; set local tcp_keepalives_interval = ${SILENT_SECONDS};
     set local tcp_keepalives_count = 1`,
  );
  const source = new Source(pages);
  try {
    await pipeline(Readable.from(source), client.query(from(`copy ${target} from stdin`)));
  } catch (error) {
    if (source.fault) throw source.fault.error;
    throw error instanceof DatabaseError ? error : new ConnectionLost(error);
  }
}

/** Pages that remember why they ended too early: a stream that fails does not throw into them. */
class Source implements AsyncIterable<string> {
  fault?: { readonly error: unknown };

  constructor(private readonly pages: Iterable<string> | AsyncIterable<string>) {}

  [Symbol.asyncIterator](): AsyncIterator<string> {
    const iterator = iteratorOf(this.pages);
    return { next: () => this.next(iterator), return: async () => (await iterator.return?.()) ?? DONE };
  }

  private async next(iterator: Pages): Promise<IteratorResult<string>> {
    try {
      return await iterator.next();
    } catch (error) {
      this.fault = { error };
      throw error;
    }
  }
}

type Pages = Iterator<string> | AsyncIterator<string>;

const DONE = { done: true, value: undefined } as const;

const iteratorOf = (pages: Iterable<string> | AsyncIterable<string>): Pages =>
  Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : pages[Symbol.iterator]();
