import { Injectable, Logger } from '@nestjs/common';
import { isSoldOut, type PacedBatch, type Standing, Standings } from '../../../libs/redis-scripts';
import { Currencies, type KnownCurrency } from '../currency';
import { CreditOutlet } from '../outlet';
import type { Activity } from './activity';
import { plainTerms } from './activity-terms';
import { typeOf } from './logo';
import { Visibility } from './visibility';
import type { ActivityDto, Phase } from './activity.dto';
import { type AnyPaceBody, paceView } from './pace.dto';

/**
 * Activities as clients see them: the phase follows the clock of Redis, or of Postgres while Redis
 * is down.
 */
@Injectable()
export class ActivityViews {
  private readonly logger = new Logger('ActivityViews');

  constructor(
    private readonly standings: Standings,
    private readonly outlet: CreditOutlet,
    private readonly currencies: Currencies,
    private readonly visibility: Visibility,
  ) {}

  async one(activity: Activity): Promise<ActivityDto> {
    const [view] = await this.many([activity]);
    return view!;
  }

  /**
   * Returns the activities of the phase `wanted`, or all without one. While Redis is down its packets
   * cannot be seen, and no activity is called sold out.
   */
  async many(activities: readonly Activity[], wanted?: Phase): Promise<ActivityDto[]> {
    const live = activities.filter((activity) => activity.status === 'active');
    const standings = await this.readStandings(live);
    const currencies = await Promise.all(activities.map(({ currency }) => this.currencies.of(currency)));
    return activities.flatMap((activity, i) => {
      const phase = phaseOf(activity, standings.get(activity.id));
      return wanted === undefined || wanted === phase ? [this.view(activity, phase, currencies[i]!)] : [];
    });
  }

  /** Leaves out activities whose server does not answer. */
  private async readStandings(live: readonly Activity[]): Promise<Map<string, Standing>> {
    const standings = await this.standings.untilPackets(live);
    const known = live.flatMap(({ id }, i) => (standings[i] ? [[id, standings[i]] as const] : []));
    if (known.length < live.length)
      this.logger.warn(`The phases of ${live.length - known.length} activities are computed without Redis.`);
    return new Map(known);
  }

  private view(activity: Activity, phase: Phase, currency: KnownCurrency): ActivityDto {
    return {
      id: activity.id,
      ...plainTerms(activity),
      phase,
      cancelled: activity.status === 'cancelled',
      sponsorId: activity.sponsorId,
      totalAmount: currency.format(activity.totalMinor),
      currency: currency.code,
      rehearsal: currency.isPlay || undefined,
      packetCount: activity.packetCount,
      parts: activity.parts,
      payout: this.outlet.termsOf(activity.outletId),
      pace: paceOfCreation(activity.paced),
      theme: activity.theme,
      logo: logoOf(activity),
      audience: this.visibility.shown(activity.audience),
      opensAt: activity.opensAt.toISOString(),
      closesAt: activity.closesAt.toISOString(),
      createdAt: activity.createdAt.toISOString(),
      closedAt: activity.closedAt?.toISOString() ?? null,
    };
  }
}

/** Anyone may request a logo by its path, so a logo that is not for everyone is in the view itself. */
function logoOf({ id, hasLogo, hiddenLogo }: Activity): string | null {
  if (hiddenLogo) return `data:${typeOf(hiddenLogo)!};base64,${hiddenLogo.toString('base64')}`;
  return hasLogo ? `/v1/activities/${id}/logo` : null;
}

function paceOfCreation(paced: readonly PacedBatch[]): AnyPaceBody | undefined {
  const creation = paced.find(({ firstNo }) => firstNo === 1);
  return creation && paceView(creation.pace);
}

type PhaseFacts = Pick<Activity, 'status' | 'settled' | 'opensAt' | 'closesAt' | 'readAt'>;

export function phaseOf(activity: PhaseFacts, standing: Standing | undefined): Phase {
  const nowMs = standing?.nowMs ?? activity.readAt.getTime();
  if (activity.settled) return 'settled';
  if (activity.status !== 'active' || nowMs >= activity.closesAt.getTime()) return 'closed';
  if (nowMs < activity.opensAt.getTime()) return 'scheduled';
  return standing && isSoldOut(standing) ? 'sold-out' : 'open';
}
