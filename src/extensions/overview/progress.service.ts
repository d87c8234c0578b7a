import { Injectable } from '@nestjs/common';
import { Standings, TapTallies } from '../../../libs/redis-scripts';
import type { Caller } from '../../platform/http';
import { type Activity, ActivityRepository, phaseOf } from '../../core/activity';
import type { ProgressDto } from './overview.dto';
import { OverviewRepository } from './overview.repository';

/** Without Redis. */
const UNSEEN = { taps: null, packetsLeft: null, waiting: null };

@Injectable()
export class ProgressService {
  constructor(
    private readonly activities: ActivityRepository,
    private readonly figures: OverviewRepository,
    private readonly tallies: TapTallies,
    private readonly standings: Standings,
  ) {}

  /** @throws activityNotFound, also for callers who are neither its sponsor nor staff */
  async readProgress(activityId: string, caller: Caller): Promise<ProgressDto> {
    const activity = await this.activities.managedBy(caller, activityId);
    const [live, oldestUnpaidSeconds] = await Promise.all([
      this.live(activity).catch(() => ({ phase: phaseOf(activity, undefined), ...UNSEEN })),
      this.figures.oldestUnpaidSeconds(activityId),
    ]);
    return { activityId, ...live, oldestUnpaidSeconds };
  }

  private async live(activity: Activity): Promise<Omit<ProgressDto, 'activityId' | 'oldestUnpaidSeconds'>> {
    const [counted, standing] = await Promise.all([
      this.tallies.readTallies(activity.id),
      this.standings.whole(activity),
    ]);
    const of = (what: string) => counted[what] ?? 0;
    const refused = {
      soldOut: of('sold-out'),
      limit: of('limit'),
      closed: of('closed'),
      notOpen: of('not-open'),
      notYet: of('not-yet'),
    };
    const taps = { won: of('won'), already: of('already'), reserved: of('reserved'), ...refused };
    const { packetsLeft, waiting } = standing;
    const phase = phaseOf(activity, standing);
    return { phase, taps: { ...taps, milliseconds: of('ms') }, packetsLeft, waiting };
  }
}
