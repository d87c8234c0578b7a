import { randomUUID } from 'node:crypto';
import type { Queries } from '../../src/platform/postgres';
import { ErasureService } from '../../src/extensions/erasure/erasure.service';
import { Renaming } from '../../src/extensions/erasure/renaming';
import { SealRepository } from '../../src/core/reconciliation';
import { books, rain } from '../harness/shared-books';
import { verificationOver } from '../reconciliation/verifying';
import { erase, requestErasure } from './erasing';
import { requestOf } from '../harness/books';
import { live, newChannel } from './person';

export const newId = () => `zoe-${randomUUID()}`;

export const askToErase = (id: string, by = 'asker'): Promise<{ id: string }> =>
  books.serviceOf(ErasureService).askToErase(requestOf(by), id);

/** Pays out all money of someone. */
export async function paidPayout(id: string): Promise<{ id: string; channelId: string }> {
  await books.deposit(id, 7n);
  const channelId = await newChannel(rain);
  const payout = await books.askForPayout(id, channelId, '0.07');
  await books.report(channelId, { id: payout.id, outcome: 'paid' });
  return { id: payout.id, channelId };
}

/** Adds a finding. Returns a function that ends it. */
export async function found(userId: string, payoutId: string | null, detail: object) {
  const [{ id }] = await books.dataSource.query<[{ id: string }]>(
    `insert into payout_finding (channel_id, payout_id, kind, detail, line) values (1, $1, 'file-differs', $2, $3) returning id`,
    [payoutId, detail, JSON.stringify({ userId })],
  );
  return () =>
    books.dataSource.query(
      `update payout_finding set ended_at = now(), ended_by = 'ann', resolution = 'Done.' where id = $1`,
      [id],
    );
}

export const pseudonyms = async (): Promise<string[]> =>
  (
    await books.dataSource.query<{ pseudonym: string }[]>(
      `select pseudonym from erasure where pseudonym is not null order by id`,
    )
  ).map(({ pseudonym }) => pseudonym);

/** Lets someone live, be sealed and be forgotten. Returns their rains and their pseudonym. */
export async function forgotten(id: string) {
  const life = await live(rain, id);
  await verificationOver().verifyUnsealed();
  await requestErasure(id);
  expect(await erase()).toBe(1);
  return { life, pseudonym: (await pseudonyms()).at(-1)! };
}

export type Steps = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** The object that has this step of an erasure as a method. */
export function ownerOf(step: string): Steps {
  if (step === 'find') return Renaming as unknown as Steps;
  return (step === 'revise' ? SealRepository.prototype : Renaming.prototype) as unknown as Steps;
}

/** All rows of all tables, except those that record an erasure. */
export async function rows(db: Queries = books.dataSource): Promise<string[]> {
  const tables = await db.query<{ name: string }[]>(
    `select relname as name from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace
        and relname not in ('erasure', 'seal_revision', 'claim_salt', 'thanks') order by 1`,
  );
  const all: string[] = [];
  for (const { name } of tables)
    all.push(
      ...(
        await db.query<{ row: string }[]>(
          `select '${name} ' || (to_jsonb(one) - 'fingerprint')::text as row from ${name} as one`,
        )
      ).map(({ row }) => row),
    );
  return all.sort();
}
