import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { must } from '../../../../libs/problem';
import { OwnRedis } from '../../../../libs/redis-scripts';
import type { Pace } from '../../../../libs/pace';
import { packetBounds, type SplitTerms } from '../../../../libs/split';
import { AppConfig } from '../../../platform/config';
import { type Caller, invalidField } from '../../../platform/http';
import { isHeldUp, knowsTimeZone } from '../../../platform/postgres';
import {
  type Activity,
  ActivityRepository,
  type LimitTerms,
  PLAY_GROUP,
  plainTerms,
  sponsorOf,
  tooManyActivities,
  Visibility,
} from '../../activity';
import { Backings, type KnownCurrency } from '../../currency';
import { CreditOutlet } from '../../outlet';
import { LedgerRepository } from '../../wallet';
import { oneAtATime } from '../large-writes';
import { pacePlan } from '../pace-plan';
import { PacketBatches } from '../packet-batches';
import { splitTerms } from '../split-plan';
import { SponsorBounds } from '../sponsor-bounds';
import { requireNear } from '../window';
import { completed, type CompletedBody } from './completed-body';
import type { CreateActivityBody } from './create.dto';
import { CreationRepository } from './creation.repository';
import { DrawSeeds } from './draw-seeds';
import { partCount } from './part-count';

interface CreationPlan {
  readonly sponsorId: string;
  readonly currency: KnownCurrency;
  readonly terms: SplitTerms;
  readonly outletId: string | null;
  readonly audience: string;
  readonly parts: number;
  readonly window: { readonly opensAt: Date; readonly closesAt: Date };
  readonly pace?: Pace;
}

/**
 * Creates an activity in the caller's transaction: the sponsor's money moves into its escrow, the
 * total is split, and every packet is written. After the commit it may be loaded.
 */
@Injectable()
export class ActivityCreation {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly creations: CreationRepository,
    private readonly ledger: LedgerRepository,
    private readonly outlet: CreditOutlet,
    private readonly bounds: SponsorBounds,
    private readonly batches: PacketBatches,
    private readonly seeds: DrawSeeds,
    private readonly own: OwnRedis,
    private readonly backings: Backings,
    private readonly visibility: Visibility,
    private readonly config: AppConfig,
  ) {}

  /**
   * Makes partitions before the transaction, which would keep all others from making them until it ended. If
   * another transaction is in the way, the partitions usually exist already; if not, the transaction tries again.
   */
  async makeRoom(): Promise<void> {
    await this.creations.makePartitions().catch((error: unknown) => {
      if (!isHeldUp(error)) throw error;
    });
  }

  /** @throws Problem `request.invalid` naming the fields that staff have left out */
  async complete(tx: EntityManager, caller: Caller, body: CreateActivityBody): Promise<CompletedBody> {
    return completed(caller, body, {
      now: await this.creations.now(tx),
      splitOf: () => this.bounds.splitOf(body),
    });
  }

  /**
   * @param sourceId of the request: the key of the deposit, if its currency makes units
   * @throws Problem `request.invalid` naming a field, creationUnderWay, tooManyActivities,
   * tooManyPackets, insufficientFunds, budgetExceeded, walletFrozen, the problems of the outlet and the backing
   */
  async create(tx: EntityManager, caller: Caller, body: CompletedBody, sourceId?: string): Promise<Activity> {
    const plan = await this.plan(tx, caller, body);
    const { sponsorId, currency, terms, outletId, audience, parts, window, pace } = plan;
    await oneAtATime(tx, sponsorId, terms.packetCount);
    await this.requireRoom(tx, sponsorId, currency, 1);
    const sponsorAccountId = await this.ledger.walletOf(tx, sponsorId, currency);
    const added = { caller, walletId: sponsorAccountId, currency, terms, packetsBefore: 0 };
    await this.bounds.requireRoom(tx, added);
    const { totalMinor, packetCount } = terms;
    await this.ledger.requireSponsor(tx, sponsorAccountId, totalMinor, this.backings.supplies(currency));
    // A sequence does not roll back, and every 10,000 ids get partitions that stay.
    const id = await this.creations.nextId(tx);
    const escrowAccountId = await this.ledger.escrowOf(tx, id, currency);
    const { seed, word } = await this.seeds.take(tx, caller, body, sourceId);
    await this.creations.insert(tx, {
      id,
      sponsorAccountId,
      totalMinor,
      packetCount,
      seed,
      split: body.split,
      theme: body.theme ?? null,
      terms: {
        ...plainTerms(body),
        limits: storedLimits(body, currency),
        audience,
        sponsorId,
        currency: currency.code,
        escrowAccountId,
        parts,
        ...window,
        outletId,
      },
    });
    await this.visibility.keep(tx, id, audience, body.audience);
    const batch = { activityId: id, sponsorId, firstNo: 1, seed, word, terms, currency, pace };
    await this.batches.write(tx, batch);
    const units = { currency, walletId: sponsorAccountId, amountMinor: totalMinor, sourceId };
    await this.backings.supply(tx, units);
    await this.ledger.transferFromSponsor(tx, {
      kind: 'fund',
      sourceId: id,
      activityId: id,
      debitAccountId: sponsorAccountId,
      creditAccountId: escrowAccountId,
      amountMinor: totalMinor,
    });
    await this.backings.reserve(tx, { activityId: id, currency, firstNo: 1, packetCount });
    await this.requireRoom(tx, sponsorId, currency, 0);
    await this.bounds.take(tx, added);
    return (await this.activities.findActivity(id, tx))!;
  }

  /**
   * Returns a plan, without looking at the wallet of the sponsor.
   *
   * @throws Problem `request.invalid` naming a field, the problems of the outlet and the backing
   */
  async plan(tx: EntityManager, caller: Caller, body: CompletedBody): Promise<CreationPlan> {
    const split = { ...body, amount: body.totalAmount, amountField: 'totalAmount' } as const;
    const sponsorId = sponsorOf(caller, body);
    const audience = this.visibility.kindFor(caller, body.audience);
    const currency = await this.backings.currencyOf(caller, body);
    const terms = splitTerms(split, currency);
    await this.backings.requireGivable(tx, {
      ...terms,
      currency,
      sponsorId,
      splitKind: terms.plan.kind,
      amountField: split.amountField,
    });
    if (body.limits) await requireLimits(tx, body.limits);
    const { totalMinor } = terms;
    const credits = { ...packetBounds(terms), totalMinor, currency };
    const outletId = await this.outlet.requireOpenable(tx, body.payout, credits);
    const window = checkedWindow(body, await this.creations.now(tx));
    const parts = partCount(body, this.own);
    return { sponsorId, currency, terms, outletId, audience, parts, window, pace: pacePlan(body, window) };
  }

  /**
   * The first check only saves work. The last one decides: from the transfer to the commit the sponsor's
   * wallet is locked, so of two creations the later one counts the earlier one.
   *
   * @throws tooManyActivities
   */
  private async requireRoom(
    tx: EntityManager,
    sponsorId: string,
    { isPlay }: KnownCurrency,
    more: 0 | 1,
  ): Promise<void> {
    const max = this.config.ACTIVITIES_PER_SPONSOR_MAX;
    if ((await this.creations.activeOf(tx, sponsorId, isPlay, max + 1)) + more <= max) return;
    throw tooManyActivities(`This sponsor has ${max} activities that have not ended; close one first.`);
  }
}

/** No request can name a group with this character, so wins of play money do not count towards other limits. */
function storedLimits(body: CreateActivityBody, { isPlay }: KnownCurrency): LimitTerms | null {
  const { limits } = plainTerms(body);
  if (!limits) return null;
  return isPlay ? { ...limits, group: `${PLAY_GROUP}${limits.group}` } : limits;
}

const NO_LIMIT = must.beThere('must have `perUserPerDay`, `perUser` or both', [
  'limits.perUserPerDay',
  'limits.perUser',
]);

async function requireLimits(tx: EntityManager, limits: LimitTerms): Promise<void> {
  const { perUser, perUserPerDay, timeZone = 'UTC' } = limits;
  if (perUser === undefined && perUserPerDay === undefined) throw invalidField('limits', NO_LIMIT);
  if (!(await knowsTimeZone(tx, timeZone))) throw invalidField('limits.timeZone', must.beA('time-zone'));
}

function checkedWindow(body: CompletedBody, now: Date): { opensAt: Date; closesAt: Date } {
  const opensAt = new Date(body.opensAt);
  const closesAt = new Date(body.closesAt);
  requireNear('opensAt', opensAt, now);
  requireNear('closesAt', closesAt, now);
  if (closesAt <= now) throw invalidField('closesAt', must.beLaterThan('now', 'must be in the future'));
  if (closesAt <= opensAt) throw invalidField('closesAt', must.beLaterThan('opensAt'));
  return { opensAt, closesAt };
}
