import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { idempotencyInFlight, idempotencyMismatch } from './idempotency.error';
import type { IdempotentRequest } from './idempotent-request';

interface StoredAnswer {
  readonly fingerprint: Buffer;
  readonly status: number;
  readonly response: unknown;
}

/**
 * Gives a request its effect exactly once (decision 9). One transaction holds the effect and the
 * stored answer: in two, a retry in the gap would pay twice. Work that fails stores nothing, so the
 * same key may try again.
 */
@Injectable()
export class IdempotencyService {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Returns the stored answer, if there is one, for work that must first act outside the
   * transaction.
   * @throws Problem `idempotency.mismatch` when the key was used for another request
   */
  async recall<T>(request: IdempotentRequest): Promise<T | undefined> {
    const stored = await find(this.dataSource.manager, request);
    return stored && replay<T>(stored, request);
  }

  /**
   * Runs `work` unless this request was answered before, and returns its answer or the stored one.
   *
   * @param work makes all its changes through `tx`. `idempotencyId` is a bigint as text, unique to
   *   this request: the key of the transfers it makes
   * @returns the answer, which must survive JSON; a replay also sets status and header of the reply
   * @throws Problem `idempotency.in_flight` while the same key is at work elsewhere
   * @throws Problem `idempotency.mismatch` when the key was used for another request
   */
  once<T>(
    request: IdempotentRequest,
    work: (tx: EntityManager, idempotencyId: string) => Promise<T>,
  ): Promise<T> {
    return this.dataSource.transaction(async (tx) => {
      await lock(tx, request);
      const stored = await find(tx, request);
      return stored === undefined ? workAndStore(tx, request, work) : replay<T>(stored, request);
    });
  }
}

/**
 * Does not wait: a flood of retries would use up the connection pool. Both parts may contain
 * colons; the user id is escaped, so that no user can keep another user's key busy.
 */
async function lock(tx: EntityManager, { caller, key }: IdempotentRequest): Promise<void> {
  const [{ locked }]: [{ locked: boolean }] = await tx.query(
    `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked`,
    [`idempotency:${encodeURIComponent(caller.userId)}:${key}`],
  );
  if (!locked)
    throw idempotencyInFlight('The first request with this key is at work.', { retryAfterSeconds: 1 });
}

async function find(
  tx: EntityManager,
  { caller, key }: IdempotentRequest,
): Promise<StoredAnswer | undefined> {
  const rows: StoredAnswer[] = await tx.query(
    `select fingerprint, status, response from idempotency_key where principal = $1 and key = $2`,
    [caller.userId, key],
  );
  return rows[0];
}

async function workAndStore<T>(
  tx: EntityManager,
  request: IdempotentRequest,
  work: (tx: EntityManager, idempotencyId: string) => Promise<T>,
): Promise<T> {
  const [{ id }]: [{ id: string }] = await tx.query(
    `select nextval(pg_get_serial_sequence('idempotency_key', 'id')) as id`,
  );
  const answer = await work(tx, id);
  const { caller, key, fingerprint, status } = request;
  await tx.query(
    `insert into idempotency_key (id, principal, key, fingerprint, status, response)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, caller.userId, key, fingerprint, status, JSON.stringify(answer ?? null)],
  );
  return answer;
}

function replay<T>({ fingerprint, status, response }: StoredAnswer, request: IdempotentRequest): T {
  if (!fingerprint.equals(request.fingerprint)) {
    throw idempotencyMismatch('This key was used for a request with other content.');
  }
  request.replay(status);
  return response as T;
}
