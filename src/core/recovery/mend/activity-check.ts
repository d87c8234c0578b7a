import { Injectable, Logger } from '@nestjs/common';
import { type Place, type Standing, Standings } from '../../../../libs/redis-scripts';
import { ActivityRepository, isNewer } from '../../activity';
import { ActivityLoader } from '../restore/activity-loader';
import { ActivityRebuilder } from '../restore/activity-rebuilder';
import { LongerWindows } from '../restore/longer-windows';
import { type ActiveActivity, LoadingRepository } from '../record/loading.repository';

export const MENDINGS = ['loaded', 'extended', 'prolonged', 'rebuilt', 'closed'] as const;

export interface Mending {
  readonly how: (typeof MENDINGS)[number];
  readonly work: () => Promise<void>;
}

/**
 * The standing of a sound activity, or the mending that it needs; neither if another process takes care of it.
 */
export interface Finding {
  readonly sound?: Standing;
  readonly mending?: Mending;
}

/** Checks an active activity in Redis, and names the mending that it needs. */
@Injectable()
export class ActivityCheck {
  private readonly logger = new Logger('ActivityCheck');

  constructor(
    private readonly activities: ActivityRepository,
    private readonly toLoad: LoadingRepository,
    private readonly standings: Standings,
    private readonly loader: ActivityLoader,
    private readonly rebuilder: ActivityRebuilder,
    private readonly windows: LongerWindows,
  ) {}

  /** Finds the places that are not sound. One that cannot be read does not stop the others. */
  async lookAt(activity: ActiveActivity): Promise<Finding> {
    if (isNewer(activity)) return {};
    const places = this.standings.keys.placesOf(activity);
    if (places.length === 1) return this.lookAtPlace(activity, places[0]!, activity.packetCount);
    const sizes = await this.toLoad.partSizes(activity.id);
    const looks = await Promise.allSettled(
      places.map((place) => this.lookAtPlace(activity, place, sizes[place.part]!)),
    );
    const findings = looks.flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []));
    const broken = findings.filter(({ sound }) => sound === undefined);
    if (broken.length > 0) return { mending: together(broken.flatMap(({ mending }) => mending ?? [])) };
    const failed = looks.find((look) => look.status === 'rejected');
    if (failed) throw failed.reason;
    return { sound: await this.standings.whole(activity) };
  }

  /**
   * Finds what should be open and is not: missing or half loaded, its closer did not get to the
   * refund, or its packets do not add up, because Redis has forgotten the holders of some.
   */
  private async lookAtPlace(
    { id, birth, parts, format, closesAtMs }: ActiveActivity,
    place: Place,
    size: number,
  ): Promise<Finding> {
    const standing = await this.standings.readStanding(place);
    const { status, packetsLeft, held } = standing;
    if (status === 'newer') return {};
    const isAnother = standing.birth !== birth || (standing.parts ?? 1) !== parts;
    if (status !== undefined && isAnother) return { mending: this.replacementOf(place) };
    // Redis refuses its grabs, and Postgres has lost the decision. `DueClosing` carries it out.
    if (status === 'closed' || status === 'closing')
      return { mending: { how: 'closed', work: () => this.toLoad.decideEnd(id) } };
    if (status !== 'open') return { mending: { how: 'loaded', work: () => this.loader.load(id) } };
    // A program that did not know the terms of the activity has loaded it.
    if (standing.format < format)
      return { mending: { how: 'loaded', work: () => this.loader.loadAt(place) } };
    // Its end has moved, and the process that moved it died before Redis learned that.
    if (standing.closesAtMs < closesAtMs)
      return { mending: { how: 'prolonged', work: () => this.windows.makeKnown(id) } };
    if (packetsLeft + held !== size) return { mending: await this.mendingOfPackets(place) };
    if (standing.isAwaiting) return { mending: { how: 'extended', work: () => this.loader.extend(id) } };
    return { sound: standing };
  }

  private replacementOf(place: Place): Mending {
    const work = () => {
      this.logger.warn(`Activity ${place.id}: Redis holds another activity of the same id.`);
      return this.loader.loadAt(place);
    };
    return { how: 'rebuilt', work };
  }

  /**
   * Packets that do not add up may have been added after their number was read, so it is read
   * again. Added packets are in Postgres first, so Redis cannot have more now.
   */
  private async mendingOfPackets(place: Place): Promise<Mending | undefined> {
    const { id, part } = place;
    const { packetsLeft, held, packetCursor } = await this.standings.readStanding(place);
    const activity = await this.activities.findActivity(id);
    if (activity?.status !== 'active') return undefined;
    const size = activity.parts === 1 ? activity.packetCount : (await this.toLoad.partSizes(id))[part]!;
    if (packetsLeft + held === size) return undefined;
    if (packetCursor < activity.packetCount) return { how: 'extended', work: () => this.loader.extend(id) };
    const work = () => {
      this.logger.warn(`Activity ${id}: ${packetsLeft} left and ${held} held are not ${size} packets.`);
      return this.rebuilder.rebuild(place);
    };
    return { how: 'rebuilt', work };
  }
}

/**
 * Mendings run one after the other; if one repairs the whole activity, the next finds nothing to do. An
 * end is never combined: no place may open again after users were answered `closed`.
 */
function together(mendings: readonly Mending[]): Mending | undefined {
  const [first, ...others] = mendings;
  const end = mendings.find(({ how }) => how === 'closed');
  if (end || !first || others.length === 0) return end ?? first;
  const work = async () => {
    for (const mending of [first, ...others]) await mending.work();
  };
  return { how: first.how, work };
}
