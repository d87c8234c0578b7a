import type { ImpatientClient } from './impatient-client';

/** All connections of this process to Postgres. */
export class OpenConnections {
  private readonly clients = new Set<ImpatientClient>();

  add(client: ImpatientClient): void {
    this.clients.add(client);
    client.once('end', () => this.clients.delete(client));
  }

  /** Gives up those that have owed an answer for so long: they may be half open. */
  giveUpSilent(silentMs: number): void {
    for (const client of this.clients) if (client.silentMs >= silentMs) client.giveUp();
  }
}
