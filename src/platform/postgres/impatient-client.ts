import { Writable } from 'node:stream';
import { Client, type ClientConfig } from 'pg';
import { isConnectionSpent } from './postgres.error';

/**
 * The notation of statements and of their answers, whatever the role or the database has. A pooler
 * passes both on.
 */
const NOTATION = { DateStyle: 'ISO, MDY', standard_conforming_strings: 'on' };

interface Starting {
  getStartupConf(): Readonly<Record<string, string>>;
}

/**
 * A connection that is given up when a query gets no answer within `query_timeout`, and whose end
 * never ends the process.
 *
 * The server's own statement_timeout cannot help where the server is out of reach: a host that
 * vanished, or a failover that left the old connection half open. The driver then fails the query,
 * but would return the connection to the pool, where the next query queues after an answer that
 * never comes. So the socket is destroyed, and the pool opens another.
 *
 * A session that was opened while the role or the database was read-only stays so for ever, and a
 * busy pool would keep it. It is given up at its first refusal.
 *
 * Pool and ORM each listen for errors while a connection is theirs, and there is a moment between
 * the two. The end of a server at that moment would be an error without a listener, which ends a
 * Node process. The next query fails in any case.
 */
export class ImpatientClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }

  /** The driver asks this of itself. Its types do not have it. */
  getStartupConf(): Readonly<Record<string, string>> {
    return { ...(Client.prototype as unknown as Starting).getStartupConf.call(this), ...NOTATION };
  }

  // The driver overloads this method in many ways. Ours only has to return what the driver's
  // returns.
  override query(...args: unknown[]): never {
    const answer: unknown = (super.query as (...args: unknown[]) => unknown).apply(this, args);
    if (answer instanceof Promise) answer.catch((error: unknown) => this.giveUpAfter(error));
    if (answer instanceof Writable) answer.once('error', (error) => this.giveUpAfter(error));
    return answer as never;
  }

  private giveUpAfter(error: unknown): void {
    if (!(error instanceof Error) || !isConnectionSpent(error)) return;
    const { connection } = this as unknown as { connection: { stream: { destroy(cause: Error): void } } };
    connection.stream.destroy(error);
  }
}
