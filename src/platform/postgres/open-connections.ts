import type { ImpatientClient } from './impatient-client';

/** All connections of this process to Postgres. */
export class OpenConnections {
  readonly clients = new Set<ImpatientClient>();

  /** Gives up connections that have owed an answer for this long: they may be half open. */
  giveUpSilent(silentMs: number): void {
    for (const client of this.clients) if (client.silentMs >= silentMs) client.giveUp();
  }
}
