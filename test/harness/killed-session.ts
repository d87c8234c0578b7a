import type { Client, Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { onServer } from './engines';

/**
 * Lets Postgres kill the session that is about to run a statement, once this many statements have begun.
 * @returns a function that ends this and returns the number of killed sessions, once their connections are
 * closed: the pool would hand out one that is still open, and the next statement would fail
 */
export function killBefore(
  dataSource: DataSource,
  statements: number,
): { readonly disarm: () => Promise<number> } {
  const { master } = dataSource.driver as unknown as { readonly master: Pool };
  let begun = 0;
  const kills: Promise<unknown>[] = [];
  const watched = new Set<Client>();
  const watch = (client: Client) => {
    if (watched.has(client)) return;
    const query = client.query.bind(client) as (...all: unknown[]) => unknown;
    watched.add(client);
    const killing = (...args: unknown[]) => {
      const ask = () => query(...args);
      // COPY is a stream that its caller needs at once.
      if (isStream(args[0]) || (begun += 1) !== statements + 1) return ask();
      kills.push(new Promise((resolve) => client.once('end', () => resolve(undefined))));
      const { processID } = client as unknown as { readonly processID: number };
      return onServer(`select pg_terminate_backend(${processID})`).then(ask);
    };
    client.query = killing as unknown as Client['query'];
  };
  master.on('acquire', watch);
  return {
    disarm: async () => {
      master.off('acquire', watch);
      // Uncovers the method of the class.
      for (const client of watched) delete (client as { query?: unknown }).query;
      return (await Promise.all(kills)).length;
    },
  };
}

const isStream = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'submit' in query;
