import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../harness/engines';
import { ANSWER_WITHIN_MS, GIVE_UP_AFTER_MS, NoAnswer, RETRY_AFTER_MS, tokenOf } from './api-call';
import type { Chance } from './chance';
import type { EngineReader } from './engine-reader';
import type { TwoOperators } from './operator';
import type { System } from './system';
import { userIdOf } from './user-id';

const GOERS = 3;
const STAYERS = 2;
/** Points stay in a wallet whose owner is forgotten. */
const POINTS = 'MILES';
const DEPOSIT = 7;
const WIN = 10;
const COMES_BACK_WITH = 4;
const FORMATS = ['json', 'csv'];

const HOUR_MS = 3_600_000;
const AT_REST_WITHIN_MS = 60_000;
const DONE_WITHIN_MS = 90_000;
/** Somewhat longer than Redis keeps anything about an ended rain or a request. */
const GONE_WITHIN_MS = 30_000;
/** A killed run may have got anywhere. */
const KILLED_AFTER_MS = [200, 2_500] as const;

/**
 * People with a past of two days. While a round is played, some of them are forgotten, and the statements for those
 * days are read. In the end nothing may name those who have left, nobody may have lost a unit, and no statement may
 * have changed.
 */
export class Leavers {
  /** Part of the ids of those who leave, and of nothing else. */
  private readonly mark = randomBytes(9).toString('hex');
  private readonly goers: readonly string[];
  private readonly stayers: readonly string[];
  private readonly apiUrls: readonly string[];
  /** The statements that were answered, by their paths. */
  private readonly texts = new Map<string, string>();
  private readonly faults: string[] = [];
  /** What the runs of `npm run erasure` have printed. */
  private said = '';
  private activityId = '';
  private days: readonly string[] = [];
  private erasureIds: readonly string[] = [];

  private constructor(
    private readonly system: System,
    private readonly operators: TwoOperators,
    private readonly chance: Chance,
  ) {
    const manner = chance.integer(0, 7);
    const named = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => userIdOf(`${name}-${i}`, manner + i));
    this.goers = named(`goer-${this.mark}`, GOERS);
    this.stayers = named(`stayer-${randomBytes(9).toString('hex')}`, STAYERS);
    this.apiUrls = system.apiUrls;
  }

  /** Gives them their past. Afterwards nothing is under way for those who will leave. */
  static async open(system: System, operators: TwoOperators, chance: Chance): Promise<Leavers> {
    const leavers = new Leavers(system, operators, chance);
    await leavers.live();
    return leavers;
  }

  /** Runs while the rain is played. */
  async leave(killed: () => void): Promise<void> {
    await this.readAll(this.goers);
    await Promise.all([this.forget(killed), this.readAll(this.stayers)]);
  }

  /** After everything has been repaired. */
  async judge(reader: EngineReader): Promise<string[]> {
    await waitFor(async () => (await this.pseudonyms()).length === GOERS || (await this.erase(), false), {
      what: `${GOERS} people to be forgotten, after ${this.said}`,
      timeoutMs: DONE_WITHIN_MS,
    });
    await this.searchAll(reader);
    await this.judgeBooks();
    await this.readAll(this.stayers);
    await this.comeBack();
    return this.faults;
  }

  private async live(): Promise<void> {
    const { one } = this.operators;
    const people = [...this.goers, ...this.stayers];
    const { items } = await one.send('GET', '/v1/currencies');
    if (!items.some(({ code }: { code: string }) => code === POINTS))
      await one.post('/v1/currencies', { code: POINTS, kind: 'points', decimals: 0, name: 'Miles' });
    const deposit = (owner: string, amount: number) =>
      one.post(pathOf(owner, 'wallets', 'deposits'), { amount: String(amount), currency: POINTS });
    const sponsorId = `sponsor-${randomBytes(9).toString('hex')}`;
    await deposit(sponsorId, WIN * people.length);
    for (const id of people) await deposit(id, DEPOSIT);
    const totalAmount = String(WIN * people.length);
    const terms = {
      name: 'Of the past',
      sponsorId,
      totalAmount,
      currency: POINTS,
      packetCount: people.length,
    };
    this.activityId = await one.createRain(terms, HOUR_MS);
    await Promise.all(people.map((id) => one.as(id).post(`/v1/activities/${this.activityId}/grabs`)));
    await this.untilCredited(people);
    await one.post(`/v1/activities/${this.activityId}/close`);
    const isAtRest = async (id: string) =>
      (await one.send('GET', pathOf(id, 'users', 'standing'))).underWay.length === 0;
    for (const id of this.goers)
      await waitFor(() => isAtRest(id), {
        what: `nothing under way for ${id}`,
        timeoutMs: AT_REST_WITHIN_MS,
      });
    this.days = await this.moveBack(people);
  }

  private async untilCredited(people: readonly string[]): Promise<void> {
    const isCredited = async () =>
      (await this.balances(people)).every((balance) => balance === DEPOSIT + WIN);
    await waitFor(isCredited, { what: 'what was won to be credited', timeoutMs: AT_REST_WITHIN_MS });
  }

  /** The balances in points. A missing wallet is left out. */
  private async balances(owners: readonly string[]): Promise<number[]> {
    const rows = await this.system.postgres.sql<{ balance: number }>(
      `select balance_minor::int as balance from account where kind = 'wallet' and currency = $1 and owner_id = any($2)`,
      [POINTS, owners],
    );
    return rows.map(({ balance }) => balance);
  }

  /** Moves the deposits back by three days, and the wins by one. Returns the days since then that are over. */
  private async moveBack(people: readonly string[]): Promise<string[]> {
    const { postgres } = this.system;
    const wallets = `select id from account where kind = 'wallet' and owner_id = any($1)`;
    const sql = [
      `update account set created_at = created_at - interval '3 days' where id in (${wallets})`,
      `update transfer set created_at = created_at - interval '3 days' where kind = 'deposit' and credit_account_id in (${wallets})`,
      `update transfer set created_at = created_at - interval '1 day' where kind = 'credit' and credit_account_id in (${wallets})`,
    ];
    await postgres.asReplica(sql, [people]);
    const days = await postgres.sql<{ day: string }>(
      `select distinct (day at time zone 'UTC')::date::text as day
         from account, generate_series(created_at, now() - interval '1 day', interval '1 day') as day
        where id in (${wallets}) order by 1`,
      [people],
    );
    return days.map(({ day }) => day);
  }

  private async forget(killed: () => void): Promise<void> {
    const { one, other } = this.operators;
    for (const id of this.goers) {
      const asked = await one.post(pathOf(id, 'users', 'erasures'));
      await other.post(`/v1/approvals/${asked.id}/approve`);
    }
    const rows = await this.system.postgres.sql<{ id: string }>(
      `select id::text as id from erasure where user_id = any($1)`,
      [this.goers],
    );
    this.erasureIds = rows.map(({ id }) => id);
    if (this.chance.isTrue(0.5)) {
      await this.erase(this.chance.integer(...KILLED_AFTER_MS));
      killed();
    }
    await this.erase();
  }

  /** Engines may be down; a later run forgets those who are left. */
  private async erase(killedAfterMs?: number): Promise<void> {
    const program = await this.system.startErasure();
    if (killedAfterMs !== undefined) {
      await Promise.race([pause(killedAfterMs), program.ended]);
      if (program.running) process.kill(program.pid, 'SIGKILL');
    }
    await program.ended;
    this.said += program.output;
  }

  private async pseudonyms(): Promise<string[]> {
    const rows = await this.system.postgres.sql<{ pseudonym: string }>(
      `select pseudonym from erasure where id = any($1) and done_at is not null`,
      [this.erasureIds],
    );
    return rows.map(({ pseudonym }) => pseudonym);
  }

  private async searchAll(reader: EngineReader): Promise<void> {
    const { mark, faults, system } = this;
    for (const column of await reader.columnsWith(mark))
      faults.push(`a person who has left appears in ${column}`);
    let keys: string[] = [];
    await waitFor(async () => (keys = await reader.keysWith(mark)).length === 0, {
      what: 'Redis to forget',
      timeoutMs: GONE_WITHIN_MS,
    }).catch(() => faults.push(...keys.map((key) => `a person who has left appears in Redis in ${key}`)));
    for (const { name, output } of system.services)
      if (output.includes(mark)) faults.push(`a person who has left appears in the log of ${name}`);
    if (this.said.includes(mark))
      faults.push(`a person who has left appears in the log of a run that forgets`);
    for (const file of ['claims', 'results', 'ledger']) {
      const text = await this.textOf(`/v1/activities/${this.activityId}/export/${file}`);
      if (text.includes(mark)) faults.push(`a person who has left appears in the export of ${file}`);
    }
  }

  private async judgeBooks(): Promise<void> {
    const pseudonyms = await this.pseudonyms();
    const [left, stayed] = await Promise.all([this.balances(pseudonyms), this.balances(this.stayers)]);
    for (const [who, balances, count] of [
      ['left', left, GOERS],
      ['stayed', stayed, STAYERS],
    ] as const)
      if (balances.length !== count || balances.some((balance) => balance !== DEPOSIT + WIN))
        this.faults.push(`the wallets of those who have ${who} hold ${balances.join() || 'nothing'}`);
    const told = new Set([...this.texts.values()].map(digestOf));
    const kept = await this.digestsOf(pseudonyms);
    const wanted = GOERS * this.days.length * FORMATS.length;
    if (kept.length !== wanted || !kept.every((digest) => told.has(digest)))
      this.faults.push(
        `those who have left have ${kept.length} texts of statements, which are not all as before`,
      );
  }

  /** Someone comes back, to a new wallet that holds only what they bring. */
  private async comeBack(): Promise<void> {
    const [id] = this.goers as [string];
    const body = { amount: String(COMES_BACK_WITH), currency: POINTS };
    await this.operators.one.post(pathOf(id, 'wallets', 'deposits'), body);
    const { items } = await this.operators.one.as(id).send('GET', `/v1/me/wallet/entries?currency=${POINTS}`);
    const [balance] = await this.balances([id]);
    if (items.length !== 1 || balance !== COMES_BACK_WITH)
      this.faults.push(`somebody who came back has ${balance} and ${items.length} entries`);
  }

  /** The stored digests of all statements of these wallets. I42 proves that the texts still match them. */
  private async digestsOf(owners: readonly string[]): Promise<string[]> {
    const rows = await this.system.postgres.sql<{ digest: Buffer }>(
      `select unnest(array[digest_json, digest_csv]) as digest
         from wallet_statement join account on account.id = account_id where owner_id = any($1)`,
      [owners],
    );
    return rows.map(({ digest }) => `sha-256=:${digest.toString('base64')}:`);
  }

  private pathsOf(owners: readonly string[]): string[] {
    return owners.flatMap((id) =>
      this.days.flatMap((day) =>
        FORMATS.map((format) =>
          pathOf(id, 'wallets', `statements/${day}?currency=${POINTS}&format=${format}`),
        ),
      ),
    );
  }

  private async readAll(owners: readonly string[]): Promise<void> {
    for (const path of this.chance.shuffle(this.pathsOf(owners))) {
      const text = await this.textOf(path);
      if ((this.texts.get(path) ?? text) !== text) this.faults.push(`${path} has changed`);
      this.texts.set(path, text);
    }
  }

  /** Asks again until the whole text has arrived, with the digest that was stored. */
  private async textOf(path: string): Promise<string> {
    const authorization = `Bearer ${tokenOf('operator', 'operator')}`;
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    let last = 'nothing';
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      try {
        const url = this.apiUrls[attempt % this.apiUrls.length]! + path;
        const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
        const response = await fetch(url, { headers: { authorization }, signal });
        const text = await response.text();
        if (response.status === 200) {
          const digest = response.headers.get('repr-digest');
          if (digest !== null && digest !== digestOf(text))
            this.faults.push(`${path} does not match its digest`);
          return text;
        }
        last = `${response.status} ${text}`;
        if (response.status === 500) this.faults.push(`GET ${path} answered 500`);
      } catch (error) {
        last = String(error);
      }
      await pause(RETRY_AFTER_MS);
    }
    throw new NoAnswer(`GET ${path} was not answered, last: ${last}`);
  }
}

const pathOf = (id: string, noun: string, rest: string): string =>
  `/v1/${noun}/${encodeURIComponent(id)}/${rest}`;

const digestOf = (text: string): string => `sha-256=:${createHash('sha256').update(text).digest('base64')}:`;
