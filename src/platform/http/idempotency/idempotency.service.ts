import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { Problem } from '../../../../libs/problem';
import { idempotencyInFlight, idempotencyMismatch } from './idempotency.error';
import type { IdempotentRequest } from './idempotent-request';

interface Requested {
  readonly request: IdempotentRequest;
}

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
   * @throws Problem `idempotency.in_flight` while a request with the same key is in progress elsewhere
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

  /** An id like those that `work` gets, for money that a program moves without a request. */
  newId(tx: EntityManager): Promise<string> {
    return nextId(tx);
  }

  /**
   * Does the same for many requests in one transaction, no two of them with the same key of one caller.
   *
   * @param work as for `once`, for those that were not answered before. A problem refuses a request without
   * having changed anything; undefined leaves it undecided. Neither is stored
   * @returns the outcomes in the order of the requests, `idempotency.in_flight` and
   *   `idempotency.mismatch` among them
   */
  onceAll<R extends Requested, T extends object>(
    requested: readonly R[],
    work: (tx: EntityManager, fresh: readonly R[]) => Promise<(T | Problem | undefined)[]>,
  ): Promise<(T | Problem | undefined)[]> {
    return this.dataSource.transaction(async (tx) => {
      const known = await recallAll<R, T>(tx, requested);
      const fresh = requested.filter((one) => !known.has(one));
      const outcomes = fresh.length === 0 ? [] : await work(tx, fresh);
      fresh.forEach((one, i) => known.set(one, outcomes[i]));
      await storeAll(
        tx,
        fresh.flatMap(({ request }, i) => (isAnswer(outcomes[i]) ? [{ request, answer: outcomes[i] }] : [])),
      );
      return requested.map((one) => known.get(one));
    });
  }
}

const isAnswer = <T extends object>(outcome: T | Problem | undefined): outcome is T =>
  outcome !== undefined && !(outcome instanceof Problem);

/** Locks the keys of requests, and returns what is known about them: stored answers and refusals. */
async function recallAll<R extends Requested, T>(
  tx: EntityManager,
  requested: readonly R[],
): Promise<Map<R, T | Problem | undefined>> {
  const names = requested.map(({ request }) => nameOf(request));
  const locks = await tx.query<{ locked: boolean }[]>(
    `select pg_try_advisory_xact_lock(hashtextextended(name, 0)) as locked
       from unnest($1::text[]) with ordinality as asked (name, no) order by no`,
    [names],
  );
  const stored = await tx.query<(StoredAnswer & { no: number })[]>(
    `select no::int, fingerprint, status, response
       from unnest($1::text[], $2::text[]) with ordinality as asked (principal, key, no)
       join idempotency_key using (principal, key)`,
    [requested.map(({ request }) => request.caller.userId), requested.map(({ request }) => request.key)],
  );
  const answers = new Map(stored.map((answer) => [answer.no, answer]));
  const known = new Map<R, T | Problem | undefined>();
  requested.forEach((one, i) => {
    const answer = answers.get(i + 1);
    if (!locks[i]!.locked) known.set(one, inFlight());
    else if (answer) known.set(one, replayOrRefuse<T>(answer, one.request));
  });
  return known;
}

async function storeAll(
  tx: EntityManager,
  answered: readonly { readonly request: IdempotentRequest; readonly answer: object }[],
): Promise<void> {
  if (answered.length === 0) return;
  await tx.query(
    `insert into idempotency_key (principal, key, fingerprint, status, response)
     select * from unnest($1::text[], $2::text[], $3::bytea[], $4::integer[], $5::json[])`,
    [
      ...[answered.map(({ request }) => request.caller.userId), answered.map(({ request }) => request.key)],
      ...[answered.map(({ request }) => request.fingerprint), answered.map(({ request }) => request.status)],
      answered.map(({ answer }) => JSON.stringify(answer)),
    ],
  );
}

const inFlight = (): Problem =>
  idempotencyInFlight('The first request with this key is still in progress.', { retryAfterSeconds: 1 });

const nameOf = ({ caller, key }: IdempotentRequest): string =>
  `idempotency:${encodeURIComponent(caller.userId)}:${key}`;

/**
 * Does not wait: a flood of retries would use up the connection pool. Both parts may contain
 * colons; the user id is escaped, so that no user can keep another user's key busy.
 */
async function lock(tx: EntityManager, request: IdempotentRequest): Promise<void> {
  const [{ locked }]: [{ locked: boolean }] = await tx.query(
    `select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked`,
    [nameOf(request)],
  );
  if (!locked) throw inFlight();
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

async function nextId(tx: EntityManager): Promise<string> {
  const [{ id }]: [{ id: string }] = await tx.query(
    `select nextval(pg_get_serial_sequence('idempotency_key', 'id')) as id`,
  );
  return id;
}

async function workAndStore<T>(
  tx: EntityManager,
  request: IdempotentRequest,
  work: (tx: EntityManager, idempotencyId: string) => Promise<T>,
): Promise<T> {
  const id = await nextId(tx);
  const answer = await work(tx, id);
  const { caller, key, fingerprint, status } = request;
  await tx.query(
    `insert into idempotency_key (id, principal, key, fingerprint, status, response)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, caller.userId, key, fingerprint, status, JSON.stringify(answer ?? null)],
  );
  return answer;
}

function replayOrRefuse<T>(stored: StoredAnswer, request: IdempotentRequest): T | Problem {
  try {
    return replay<T>(stored, request);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

function replay<T>({ fingerprint, status, response }: StoredAnswer, request: IdempotentRequest): T {
  if (!fingerprint.equals(request.fingerprint)) {
    throw idempotencyMismatch('This key was used for a request with different content.');
  }
  request.replay(status);
  return response as T;
}
