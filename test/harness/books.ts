import { randomBytes, randomUUID } from 'node:crypto';
import { DataSource, type EntityManager, QueryFailedError } from 'typeorm';
import type { Reservation } from '../../libs/redis-scripts';
import type { Role } from '../../libs/roles';
import type { SponsorWord } from '../../libs/split';
import { ActivityCreation } from '../../src/core/lifecycle/create/activity-creation';
import type { CreateActivityBody } from '../../src/core/lifecycle/create/create.dto';
import { Currencies } from '../../src/core/currency';
import type { CreateCurrencyBody } from '../../src/core/currency/currency.dto';
import { CurrencyService } from '../../src/core/currency/currency.service';
import { ClosingRepository } from '../../src/core/lifecycle/close/closing.repository';
import { CreationRepository } from '../../src/core/lifecycle/create/creation.repository';
import { LoadingRepository } from '../../src/core/recovery/record/loading.repository';
import { ActivityRepository } from '../../src/core/activity/activity.repository';
import { ActivityService } from '../../src/core/activity/activity.service';
import { type Added, ActivityTopUp } from '../../src/core/lifecycle/add/activity-top-up';
import { ClaimVoiding, type VoidedClaim } from '../../src/core/lifecycle/void/claim-voiding';
import type { PendingDeed } from '../../src/core/second-person';
import { ApprovalRequests } from '../../src/extensions/approval/approval-requests';
import { ApprovalService } from '../../src/extensions/approval/approval.service';
import { CommitmentService } from '../../src/extensions/fairness/commitment.service';
import { ChannelService } from '../../src/extensions/payout/channel/channel.service';
import { FindingService } from '../../src/extensions/payout/watch/finding.service';
import { StatementService } from '../../src/extensions/payout/statement/statement.service';
import { PayoutAsks } from '../../src/extensions/payout/ask/payout-asks';
import { PayoutLists } from '../../src/extensions/payout/book/payout-lists';
import { ReadingService } from '../../src/extensions/payout/send/reading.service';
import { ResolutionService } from '../../src/extensions/payout/watch/resolution.service';
import { ChannelRepository } from '../../src/extensions/payout/channel/channel.repository';
import type { ChannelProfileBody, CreateChannelBody } from '../../src/extensions/payout/channel/channel.dto';
import type { ChannelRow } from '../../src/extensions/payout/channel/channel.entity';
import type { OutcomeBody, OutcomeResultDto } from '../../src/extensions/payout/book/outcome.dto';
import type { PayoutDto } from '../../src/extensions/payout/book/payout.dto';
import type { StatementResult } from '../../src/extensions/payout/statement/statement.dto';
import { Answers } from '../../src/extensions/payout/send/answers';
import { PayoutSender } from '../../src/extensions/payout/send/payout-sender';
import { DueCalls } from '../../src/extensions/payout/send/due-calls';
import { PaceRepository } from '../../src/extensions/payout/send/pace.repository';
import { UnsentSweep } from '../../src/extensions/payout/gather/unsent-sweep';
import { PayoutService } from '../../src/extensions/payout/watch/payout.service';
import { ClaimRepository, type ConfirmVerdict } from '../../src/core/grab/confirm/claim.repository';
import { WonPacketRepository } from '../../src/core/winners/won-packet.repository';
import { DeadLetterRepository } from '../../src/core/wallet/dead-letter.repository';
import type { AccountKind } from '../../src/core/wallet/account';
import { LedgerRepository } from '../../src/core/wallet/ledger.repository';
import { ReversalService } from '../../src/core/wallet/reversal.service';
import { SettlementRepository } from '../../src/core/wallet/settlement.repository';
import type { AnyAudienceBody } from '../../src/extensions/audience/audience-terms.dto';
import { SettlementService } from '../../src/core/wallet/settlement.service';
import { WalletService } from '../../src/core/wallet/wallet.service';
import { type AppConfig, loadConfig } from '../../src/platform/config';
import { IdempotencyService, IdempotentRequest, type Page, type PageQuery } from '../../src/platform/http';
import { dataSourceOptions } from '../../src/platform/postgres';
import type { Dispensing } from './dispensing';
import { Graph, type Replacement } from './graph';
import { brokenInvariants } from './invariants';
import { createDatabase, type TestDatabase } from './engines';

const HOUR_MS = 3_600_000;
export const OPERATOR = { userId: 'operator', role: 'operator' } as const;

/** Enough connections for the largest number of workers that a test starts at once. */
const POOL_MAX = 24;

/** A session waits until the test has seen that it waits, however slow the machine is. */
const PATIENT = { lock_timeout: 0 };

export interface ActivityWish {
  readonly packets: number;
  readonly totalMinor?: bigint;
  readonly sponsorId?: string;
  /** Must already exist, unless it is the default. */
  readonly currency?: string;
  readonly split?: CreateActivityBody['split'];
  readonly parts?: number;
  readonly pace?: CreateActivityBody['pace'];
  readonly payout?: { readonly channelId: string; readonly days?: number };
  readonly limits?: CreateActivityBody['limits'];
  readonly admission?: CreateActivityBody['admission'];
  readonly showsBestLuck?: boolean;
  readonly audience?: AnyAudienceBody;
  /** Drawn with a seed from the sponsor. */
  readonly hasWord?: boolean;
  readonly opensInMs?: number;
  readonly closesInMs?: number;
}

export interface TopUpWish {
  readonly packets: number;
  readonly totalMinor?: bigint;
  readonly split?: ActivityWish['split'];
  readonly pace?: ActivityWish['pace'];
  readonly payoutDays?: number;
}

export interface TransferRow {
  readonly kind: string;
  readonly sourceId: string;
  readonly amountMinor: bigint;
}

/** Tables that tests damage although nothing may change them. */
const APPEND_ONLY = [
  ...['transfer', 'top_up', 'packet_batch', 'claim_leaf', 'claim_checkpoint'],
  ...['code', 'code_showing', 'wallet_statement', 'wallet_statement_line'],
];

/** The money side of the system over a new database, without processes, queues and HTTP. */
export class Books {
  readonly currencies = this.graph.get(Currencies);
  readonly currency = this.currencies.default;
  readonly ledger = this.graph.get(LedgerRepository);
  readonly activities = this.graph.get(ActivityRepository);
  readonly activityLists = this.graph.get(ActivityService);
  readonly claims = this.graph.get(ClaimRepository);
  readonly closings = this.graph.get(ClosingRepository);
  readonly creations = this.graph.get(CreationRepository);
  readonly toLoad = this.graph.get(LoadingRepository);
  readonly wonPackets = this.graph.get(WonPacketRepository);
  readonly settlements = this.graph.get(SettlementRepository);
  readonly settlement = this.graph.get(SettlementService);
  readonly letters = this.graph.get(DeadLetterRepository);
  readonly wallets = this.graph.get(WalletService);
  readonly reversals = this.graph.get(ReversalService);
  readonly topUps = this.graph.get(ActivityTopUp);
  readonly voiding = this.graph.get(ClaimVoiding);
  readonly channels = this.graph.get(ChannelService);
  readonly payouts = this.graph.get(PayoutService);
  readonly asks = this.graph.get(PayoutAsks);
  readonly payoutLists = this.graph.get(PayoutLists);
  readonly reading = this.graph.get(ReadingService);
  readonly resolutions = this.graph.get(ResolutionService);
  readonly unsent = this.graph.get(UnsentSweep);
  readonly findings = this.graph.get(FindingService);
  readonly statements = this.graph.get(StatementService);
  /** These three need Redis. */
  readonly calls = this.graph.get(DueCalls);
  readonly answers = this.graph.get(Answers);
  readonly sender = this.graph.get(PayoutSender);
  readonly approvals = this.graph.get(ApprovalService);
  private readonly requests = this.graph.get(ApprovalRequests);
  private readonly idempotency = this.graph.get(IdempotencyService);
  private readonly creation = this.graph.get(ActivityCreation);

  private constructor(
    readonly databaseUrl: string,
    readonly config: AppConfig,
    readonly dataSource: DataSource,
    private readonly graph: Graph,
  ) {}

  /** Opens an existing database; with `patient`, sessions wait for locks without a limit. */
  static async of(
    databaseUrl: string,
    settings: NodeJS.ProcessEnv = {},
    patient = true,
    redis?: Dispensing,
  ): Promise<Books> {
    const config = loadConfig({
      NODE_ENV: 'test',
      DATABASE_URL: databaseUrl,
      REDIS_URL: 'redis://127.0.0.1:1',
      JWT_SECRET: 'books-are-opened-with-this-0123456789',
      CLAIM_LOG_KEY: Buffer.alloc(32, 5).toString('base64'),
      CODE_SEAL_KEY: Buffer.alloc(32, 6).toString('base64'),
      ...settings,
    });
    const { extra, ...options } = dataSourceOptions({ databaseUrl, poolMax: POOL_MAX });
    const dataSource = new DataSource({ ...options, extra: { ...extra, ...(patient && PATIENT) } });
    await dataSource.initialize();
    return new Books(
      databaseUrl,
      config,
      dataSource,
      await Graph.api({ config, dataSource }, redis?.replacements),
    );
  }

  /** Repositories for another graph to use, so that a test can watch them here. */
  get replacements(): Replacement[] {
    return [
      [ActivityRepository, this.activities],
      [ClaimRepository, this.claims],
      [LedgerRepository, this.ledger],
    ];
  }

  readonly serviceOf: Graph['get'] = (token) => this.graph.get(token);

  close(): Promise<void> {
    return this.graph.close();
  }

  /**
   * Deposits money from outside, as an operator does, under an idempotency key that was answered. Returns
   * the id of the transfer.
   */
  async deposit(ownerId: string, amountMinor: bigint, code = this.currency.code): Promise<string> {
    const amount = (await this.currencies.of(code)).format(amountMinor);
    return this.dataSource.transaction(async (tx) => {
      const [key]: { id: string }[] = await tx.query(
        `insert into idempotency_key (principal, key, fingerprint, status, response)
         values ('operator', gen_random_uuid(), sha256(''), 201, '{}') returning id`,
      );
      const body = { amount, currency: code };
      const { transferId } = await this.wallets.deposit(tx, OPERATOR, ownerId, body, key!.id);
      return transferId;
    });
  }

  /** One person asks for the reversal of a deposit, and another approves it. */
  async reverse(depositId: string): Promise<void> {
    const body = { reason: 'Deposited twice.' };
    const { id } = (await this.reversals.askToReverse(requestOf('asker'), depositId, body)) as PendingDeed;
    await this.approvals.approve(requestOf('decider'), id);
  }

  /** One person asks, and another may decide. Returns the id of the approval. */
  async askForDeposit(
    ownerId: string,
    amountMinor: bigint,
    decision?: 'approve' | 'reject',
  ): Promise<string> {
    const asking = requestOf('asker');
    const [approval] = await this.idempotency.once(asking, (tx, sourceId) => {
      const wish = {
        action: 'wallet.deposit',
        subjectId: ownerId,
        terms: {},
        currency: this.currency,
        amountMinor,
        sourceId,
      };
      return this.requests.requestDeeds(tx, [{ ...wish, askedBy: asking.caller }]);
    });
    const { id } = approval!;
    if (decision) await this.approvals[decision](requestOf('decider'), id);
    return id;
  }

  async addCurrency(body: CreateCurrencyBody): Promise<void> {
    await this.serviceOf(CurrencyService).create(requestOf('operator'), body);
  }

  /** Creates an activity with its money in escrow; packets hold one unit of money on average. */
  async activity({
    packets,
    totalMinor = BigInt(packets) * 100n,
    sponsorId = 'sponsor',
    currency,
    split = { kind: 'random' },
    parts,
    pace,
    payout,
    limits,
    admission,
    showsBestLuck,
    audience,
    hasWord = false,
    opensInMs = -HOUR_MS,
    closesInMs = HOUR_MS,
  }: ActivityWish): Promise<string> {
    const named = await this.currencies.named({ currency });
    if (!named.isBacked) await this.deposit(sponsorId, totalMinor, currency);
    const now = Date.now();
    const body = {
      name: 'Rain',
      totalAmount: named.format(totalMinor),
      currency,
      packetCount: packets,
      split,
      parts,
      pace,
      payout,
      limits,
      admission,
      showsBestLuck,
      audience,
      opensAt: new Date(now + opensInMs).toISOString(),
      closesAt: new Date(now + closesInMs).toISOString(),
      sponsorId,
    };
    await this.creation.makeRoom();
    const word = hasWord ? await this.newWord() : {};
    const { id } = await this.dataSource.transaction(async (tx) => {
      const sourceId = await this.idempotency.newId(tx);
      return this.creation.create(tx, OPERATOR, { ...body, ...word }, sourceId);
    });
    return id;
  }

  private async newWord(): Promise<SponsorWord> {
    const { userId, role } = OPERATOR;
    const { commitment } = await this.serviceOf(CommitmentService).create(requestOf(userId, role));
    return { commitment, sponsorSeed: randomBytes(32).toString('hex') };
  }

  /** Adds packets and their money in Postgres only: Redis does not learn of them. */
  async topUp(
    activityId: string,
    { packets, totalMinor = BigInt(packets) * 100n, ...wish }: TopUpWish,
    topUps = this.topUps,
  ): Promise<Added> {
    const { sponsorId, currency } = (await this.activities.findActivity(activityId))!;
    const named = await this.currencies.of(currency);
    if (!named.isBacked) await this.deposit(sponsorId, totalMinor, currency);
    const amount = named.format(totalMinor);
    const body = { amount, currency, packetCount: packets, ...wish };
    return this.dataSource.transaction((tx) => topUps.add(tx, OPERATOR, activityId, body));
  }

  /** Confirms packet 1 for the first user, packet 2 for the second and so on; returns the ids of the claims. */
  async claim(activityId: string, userIds: readonly string[]): Promise<string[]> {
    const verdicts = await this.claims.confirm(
      userIds.map((userId, i) => reservationOf(activityId, userId, i + 1)),
    );
    return verdicts.map((verdict) => {
      if (verdict.kind !== 'confirmed' || verdict.claimId === undefined)
        throw new Error(`not claimed: ${verdict.kind}`);
      return verdict.claimId;
    });
  }

  /** Pays the claims that were confirmed. */
  async settleConfirmed(verdicts: readonly ConfirmVerdict[]): Promise<void> {
    await this.settlement.settle(
      verdicts.flatMap((verdict) => (verdict.kind === 'confirmed' ? verdict.claimId! : [])),
    );
  }

  /** The amounts that the sponsor was refunded for an activity. */
  async refundsOf(activityId: string): Promise<bigint[]> {
    const rows = await this.dataSource.query<{ amount: string }[]>(
      `select amount_minor as amount from transfer where kind = 'refund' and activity_id = $1`,
      [activityId],
    );
    return rows.map(({ amount }) => BigInt(amount));
  }

  /** Creates a payout channel, as an operator does. Returns its id. */
  async createChannel(
    profile: Partial<ChannelProfileBody> = {},
    terms: Partial<Omit<CreateChannelBody, 'profile'>> = {},
  ): Promise<string> {
    const body = { name: 'Shop', ...terms, profile: { smallest: '0.01', ...profile } };
    return (await this.channels.create(requestOf('operator', 'operator'), body)).id;
  }

  /** Asks for a payout, as a user does. */
  askForPayout(userId: string, channelId: string, amount = '1.00', currency?: string): Promise<PayoutDto> {
    return this.asks.ask(requestOf(userId, 'user'), { amount, currency, channelId });
  }

  /** Pauses a channel or resumes it, as an operator does. */
  async setPaused(channelId: string, paused: boolean): Promise<void> {
    await this.channels.change(OPERATOR, channelId, { paused });
  }

  /** Reads waiting payouts, as the back end of a channel does. */
  readWaiting(channelId: string, page: PageQuery = { limit: 10 }): Promise<Page<PayoutDto>> {
    return this.reading.waiting(backEndOf(channelId), channelId, page);
  }

  /** Hands in a day's file, as the back end of a channel does. */
  handIn(channelId: string, day: string, ...lines: readonly string[]): Promise<StatementResult> {
    return this.statements.take(backEndOf(channelId), channelId, day, 'csv', channelFile(lines));
  }

  /** Lets credits of rains with a channel leave. */
  sweepUnsent(signal = new AbortController().signal): Promise<void> {
    return this.unsent.sweep(signal);
  }

  /** Deletes the channels of earlier tests, since there may be only twenty; their waiting payouts stay. */
  async retireChannels(): Promise<void> {
    await this.dataSource.query('update payout_channel set deleted_at = now() where deleted_at is null');
  }

  /** Lets a channel be called, which otherwise only a worker does. */
  async beginCalls(channelId: string): Promise<ChannelRow> {
    await this.graph.get(PaceRepository).begin(channelId);
    return (await this.graph.get(ChannelRepository).findChannel(channelId))!;
  }

  /** Reports outcomes, as the back end of a channel does that has read its waiting payouts. */
  async report(channelId: string, ...outcomes: OutcomeBody[]): Promise<OutcomeResultDto[]> {
    const read =
      'update payout set calls = 1, currency_calls = 1 where channel_id = $1 and calls = 0 and ended_at is null';
    await this.dataSource.query(read, [channelId]);
    return (await this.reading.report(backEndOf(channelId), outcomes)).results;
  }

  setStatus(ownerId: string, status: 'active' | 'frozen'): Promise<unknown> {
    return this.dataSource.transaction((tx) => this.wallets.setStatus(tx, OPERATOR, ownerId, status, {}));
  }

  declareVoid(letterId: string, status?: 'open' | 'resolved'): Promise<VoidedClaim> {
    return this.dataSource.transaction((tx) => this.voiding.declareVoid(tx, letterId, 'a robot', status));
  }

  replay(letterId: string): Promise<string | undefined> {
    return this.dataSource.transaction((tx) => this.letters.replay(tx, letterId));
  }

  async balance(ownerId: string, kind: AccountKind = 'wallet'): Promise<bigint> {
    const [row]: { balance: string }[] = await this.dataSource.query(
      `select coalesce(sum(balance_minor), 0) as balance from account where owner_id = $1 and kind = $2`,
      [ownerId, kind],
    );
    return BigInt(row!.balance);
  }

  async packetAmounts(activityId: string): Promise<bigint[]> {
    const rows: { amount: string }[] = await this.dataSource.query(
      `select amount_minor as amount from packet where activity_id = $1 order by no`,
      [activityId],
    );
    return rows.map(({ amount }) => BigInt(amount));
  }

  async creditsOf(ownerId: string): Promise<TransferRow[]> {
    const rows: { kind: string; sourceId: string; amount: string }[] = await this.dataSource.query(
      `select transfer.kind, source_id as "sourceId", amount_minor as amount
         from transfer
         join account on account.id = credit_account_id and account.kind = 'wallet' and owner_id = $1
        order by transfer.id`,
      [ownerId],
    );
    return rows.map(({ amount, ...row }) => ({ ...row, amountMinor: BigInt(amount) }));
  }

  broken(): Promise<string[]> {
    return brokenInvariants(this.dataSource);
  }

  /** Does work in a transaction that stays open until the returned function is called. */
  async hold(work: (tx: EntityManager) => Promise<unknown>): Promise<() => Promise<void>> {
    const runner = this.dataSource.createQueryRunner();
    await runner.startTransaction();
    await work(runner.manager);
    return async () => {
      await runner.commitTransaction();
      await runner.release();
    };
  }

  /** Keeps everyone else from tidying up an activity until the caller releases it. */
  holdTidying(activityId: string): Promise<() => Promise<void>> {
    return this.hold((tx) =>
      tx.query(`select pg_advisory_xact_lock(hashtextextended('tidy:' || $1, 0))`, [activityId]),
    );
  }

  /** Makes every update of an activity that matches the condition fail, until the caller allows it. */
  async refuseUpdates(condition: string): Promise<() => Promise<void>> {
    await this.dataSource.query(`
      create or replace function refuse() returns trigger language plpgsql as $$
        begin raise exception 'No update of activity %.', old.id; end $$;
      create trigger refuse before update on activity for each row when (${condition}) execute function refuse()`);
    return async () => void (await this.dataSource.query('drop trigger refuse on activity'));
  }

  /** Does work in a transaction and undoes all of it, including changes to the schema. */
  async undoing<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    await runner.startTransaction('REPEATABLE READ');
    for (const table of APPEND_ONLY) await runner.query(`alter table ${table} disable trigger append_only`);
    try {
      return await work(runner.manager);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  async blocked(): Promise<number[]> {
    const rows: { pid: number }[] = await this.dataSource.query(
      `select pid from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    return rows.map(({ pid }) => pid);
  }
}

export async function openBooks(
  settings: NodeJS.ProcessEnv = {},
  patient = true,
  redis?: Dispensing,
): Promise<{ books: Books; close: () => Promise<void> }> {
  const database: TestDatabase = await createDatabase();
  const books = await Books.of(database.url, settings, patient, redis);
  return {
    books,
    close: async () => {
      await books.close();
      await database.drop();
    },
  };
}

/** The caller that is the back end of a channel. */
export const backEndOf = (channelId: string) => ({ userId: 'shop', role: 'channel', channelId }) as const;

/** The file of a channel with these lines, as it arrives. */
async function* channelFile(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(Buffer.from(['payoutId,userId,amount,state,at', ...lines, ''].join('\n')));
}

/** @param key to send the same request again */
export function requestOf(
  userId: string,
  role: Role = 'finance',
  key: string = randomUUID(),
): IdempotentRequest {
  const reply = { statusCode: 200, header: () => reply };
  return new IdempotentRequest({ userId, role }, key, Buffer.alloc(32), reply as never);
}

/** A reservation in Redis. Its amount is wrong on purpose: Postgres must not believe it. */
export function reservationOf(activityId: string, userId: string, packetNo: number): Reservation {
  return { activityId, userId, packet: { no: packetNo, amountMinor: 1_000_000n }, shard: 0 };
}

/** The name of the constraint that refuses a statement. */
export async function refusalOf(statement: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await statement.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof QueryFailedError
    ? (error.driverError as { constraint?: string }).constraint
    : undefined;
}

export const sum = (amounts: Iterable<bigint>): bigint => Array.from(amounts).reduce((a, b) => a + b, 0n);
