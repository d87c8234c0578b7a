import { Writable } from 'node:stream';
import { Client, type ClientConfig } from 'pg';
import { isConnectionSpent, noAnswer } from './postgres.error';

/** Statements and answers have this notation in any role or database. A pooler passes it on. */
const NOTATION = { DateStyle: 'ISO, MDY', standard_conforming_strings: 'on' };

/**
 * Statements find their tables, and Postgres spells names alike, in any role or database. A pooler
 * refuses these.
 */
export const NAMING = { search_path: 'public', quote_all_identifiers: 'off' };

export interface ImpatientConfig extends ClientConfig {
  readonly naming?: Readonly<Record<string, string>>;
  /** It adds itself to this until it ends. */
  readonly open?: Set<ImpatientClient>;
}

interface Starting {
  getStartupConf(): Readonly<Record<string, string>>;
}

/**
 * A connection that is given up if a query gets no answer within `query_timeout`, and whose end never ends
 * the process.
 *
 * The server's statement_timeout cannot help if the server is out of reach. The driver would fail the query
 * but return the connection to the pool, where the next query waits for an answer that never comes. So the
 * socket is destroyed.
 *
 * A session opened while the database was read-only stays read-only, so it is given up at its first refusal.
 * Between the listeners of pool and ORM there is a moment without any, in which the end of a server would end
 * the process.
 */
export class ImpatientClient extends Client {
  private readonly naming: Readonly<Record<string, string>>;
  private askedAtMs?: number;

  constructor(config?: ImpatientConfig) {
    super(config);
    this.naming = config?.naming ?? {};
    this.on('error', () => undefined);
    config?.open?.add(this);
    this.once('end', () => config?.open?.delete(this));
  }

  /** Milliseconds for which the last query has waited for its answer. */
  get silentMs(): number {
    return this.askedAtMs === undefined ? 0 : performance.now() - this.askedAtMs;
  }

  giveUp(cause: Error = noAnswer()): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(cause: Error): void } } };
    connection.stream.destroy(cause);
  }

  /** The driver asks this of itself. Its types do not have it. */
  getStartupConf(): Readonly<Record<string, string>> {
    return {
      ...(Client.prototype as unknown as Starting).getStartupConf.call(this),
      ...NOTATION,
      ...this.naming,
    };
  }

  // The driver overloads this method in many ways; ours returns what it returns.
  override query(...args: unknown[]): never {
    const answer: unknown = (super.query as (...args: unknown[]) => unknown).apply(this, args);
    if (answer instanceof Promise) void this.expect(answer);
    if (answer instanceof Writable) answer.once('error', (error) => this.giveUpAfter(error));
    return answer as never;
  }

  private async expect(answer: Promise<unknown>): Promise<void> {
    const askedAtMs = (this.askedAtMs = performance.now());
    await answer.catch((error: unknown) => this.giveUpAfter(error));
    if (this.askedAtMs === askedAtMs) this.askedAtMs = undefined;
  }

  private giveUpAfter(error: unknown): void {
    if (error instanceof Error && isConnectionSpent(error)) this.giveUp(error);
  }
}
