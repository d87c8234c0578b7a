import { packetOf } from '../../../libs/red-packet-id';
import { homeOf } from '../../../libs/redis-scripts';
import { groupBy } from '../group';
import type { Releases } from '../terms';
import type { Drawn } from './journal-files';
import type { TapAnswer } from './taps';

/** At most so long after a release, as docs/fairness.md says. */
const STAGGER_MS = 5_000;
const SHARES = 10;
/** No share of the users is further above the mean by chance. */
const DEVIATIONS = 6;

export interface PacedRain {
  readonly id: string;
  readonly kind: 'even' | 'waves';
  readonly parts: number;
  /** Packets of the plan, which are dealt over the parts by their numbers. */
  readonly packets: number;
  readonly releases: Releases;
  /** Packets that are released when they are added; so few that they all go to the first part. */
  readonly topUp: { readonly count: number; readonly sentAtMs: number; readonly answeredAtMs: number };
}

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface PaceVerdict {
  readonly faults: string[];
  /** A line of the summary. */
  readonly figures: string;
}

/** Instants in ascending order. */
type Instants = readonly number[];

const upTo = (instants: Instants, ms: number): number => {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (instants[middle]! <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Undefined after the last one. */
const nextOf = (instants: Instants, ms: number): number | undefined => instants[upTo(instants, ms)];

const keyOf = ({ userId, packetNo }: Pick<Drawn, 'userId' | 'packetNo'>): string => `${packetNo} ${userId}`;

const instantsOf = (wins: readonly Drawn[]): Instants => wins.map(({ atMs }) => atMs).sort((a, b) => a - b);

/**
 * Compares the wins of a rain with its plan at every instant, for each part by itself. A packet is won
 * at the instant at which Redis first gave it to the user who has it.
 */
export class PaceJudge {
  private readonly draws: ReadonlyMap<string, readonly Drawn[]>;
  private readonly wins: Instants;
  private readonly releases: Instants;
  private readonly parts: readonly { readonly wins: Instants; readonly releases: Instants }[];
  private readonly lastMs: number;
  private readonly unseen: number;

  constructor(
    private readonly rain: PacedRain,
    claims: readonly Pick<Drawn, 'userId' | 'packetNo'>[],
    drawn: readonly Drawn[],
  ) {
    const own = drawn.filter(({ activityId }) => activityId === rain.id);
    this.draws = groupBy(
      own.sort((a, b) => a.atMs - b.atMs),
      keyOf,
    );
    const wins = claims.flatMap((claim) => this.draws.get(keyOf(claim))?.[0] ?? []);
    this.unseen = claims.length - wins.length;
    this.wins = instantsOf(wins);
    this.releases = rain.releases.flatMap(({ atMs, count }) => Array.from({ length: count }, () => atMs));
    this.lastMs = this.releases.at(-1)!;
    this.parts = Array.from({ length: rain.parts }, (_, part) => ({
      wins: instantsOf(wins.filter((win) => win.part === part)),
      releases: this.releases.filter((_atMs, i) => (i + 1) % rain.parts === part),
    }));
  }

  judge(answers: readonly TapAnswer[], outages: readonly Span[]): PaceVerdict {
    const early = answers.filter(({ reason }) => reason === 'not-yet');
    const behind = this.behind(outages);
    const comeback = this.comeback(early);
    const faults = [
      ...this.ahead(),
      ...early.flatMap((answer) => this.inVain(answer) ?? []),
      ...early.flatMap((answer) => this.wrongNextAt(answer) ?? []),
      ...answers.flatMap((answer) => this.earlySoldOut(answer) ?? []),
      ...(early.length > 0 ? [] : ['nobody came too early: this machine makes too few taps for this proof']),
      ...(this.unseen > 0 ? [`${this.unseen} wins are in no journal`] : []),
      ...answers.flatMap((answer) => this.elsewhen(answer) ?? []),
      ...comeback.faults,
    ];
    const { kind, packets, topUp, releases } = this.rain;
    const took = (ms: number) => ((this.caughtUpAtMs(ms) - ms) / 1_000).toFixed(1);
    const pace =
      kind === 'even'
        ? `at most ${behind} behind the plan`
        : `waves won within ${releases.map(({ atMs }) => took(atMs)).join(', ')} s; at most ` +
          `${comeback.percent} % are to come in one half second of five`;
    return {
      faults: faults.map((fault) => `${kind}: ${fault}`),
      figures:
        `${kind.padEnd(9)} ${this.wins.length} of ${packets + topUp.count} won, those of the top-up within ` +
        `${took(topUp.answeredAtMs)} s; ${early.length} sent away; ${pace}`,
    };
  }

  /** The first instant from `fromMs` on at which every part had given away all that it had to. */
  caughtUpAtMs(fromMs: number): number {
    const instants = this.parts.map(({ wins }, part) => {
      if (upTo(wins, fromMs) >= this.due(fromMs, part)) return fromMs;
      return wins.find((ms, i) => ms > fromMs && i + 1 >= this.due(ms, part)) ?? Infinity;
    });
    return Math.max(...instants);
  }

  /** The number of packets of a part, or of all, that must be there for those who tap. */
  private due(ms: number, part?: number): number {
    const { topUp } = this.rain;
    const releases = part === undefined ? this.releases : this.parts[part]!.releases;
    const isAdded = !part && ms >= topUp.answeredAtMs;
    return upTo(releases, ms) + (isAdded ? topUp.count : 0);
  }

  private ahead(): string[] {
    const { topUp } = this.rain;
    const all = { wins: this.wins, releases: this.releases, part: undefined };
    return [all, ...this.parts.map((part, i) => ({ ...part, part: i }))].flatMap(
      ({ wins, releases, part }) => {
        const released = (ms: number) =>
          upTo(releases, ms) + (!part && ms >= topUp.sentAtMs ? topUp.count : 0);
        const early = wins.find((ms, i) => i + 1 > released(ms));
        if (early === undefined) return [];
        const where = part === undefined ? '' : `in part ${part} `;
        return [`${where}${upTo(wins, early)} packets were won when ${released(early)} were released`];
      },
    );
  }

  /**
   * Whoever is sent away came when all that was released in their part had been given away. As all others
   * win, the wins are behind the plan by no more than the taps that are under way.
   */
  private inVain({ userId, sentAtMs, answeredAtMs }: TapAnswer): string | undefined {
    const part = this.homeOf(userId);
    const [won, due] = [upTo(this.parts[part]!.wins, answeredAtMs), this.due(sentAtMs, part)];
    return won < due
      ? `${userId} was sent away when ${won} of ${due} released packets of part ${part} were won`
      : undefined;
  }

  /** Somebody whose own part has released all may have been sent on to another one. */
  private wrongNextAt({ userId, sentAtMs, answeredAtMs, nextAt }: TapAnswer): string | undefined {
    const own = this.parts[this.homeOf(userId)]!.releases;
    const soonest = nextOf(own, sentAtMs) ?? nextOf(this.releases, sentAtMs);
    if (soonest === undefined) return `${userId} heard not-yet after the last packet was released`;
    const latest = (nextOf(own, answeredAtMs) ?? this.lastMs) + STAGGER_MS;
    const ms = Date.parse(nextAt!);
    return soonest <= ms && ms < latest
      ? undefined
      : `${userId} was asked to come ${ms - soonest} ms after the next release`;
  }

  private homeOf(userId: string): number {
    return homeOf(this.rain.id, userId, this.rain.parts);
  }

  private earlySoldOut({ userId, reason, sentAtMs, answeredAtMs }: TapAnswer): string | undefined {
    if (reason !== 'sold-out') return undefined;
    if (answeredAtMs < this.lastMs) return `${userId} heard sold-out before the last packet was released`;
    const [won, due] = [upTo(this.wins, answeredAtMs), this.due(sentAtMs)];
    return won < due ? `${userId} heard sold-out when ${won} of ${due} were won` : undefined;
  }

  /** A tap that has won was answered after its draw: the journal and the clients have the same clock. */
  private elsewhen({ userId, code, redPacketId, sentAtMs, answeredAtMs }: TapAnswer): string | undefined {
    if (code !== '0') return undefined;
    const draws = this.draws.get(keyOf({ userId, packetNo: packetOf(redPacketId!).no })) ?? [];
    const isDrawn = draws.some(({ atMs }) => sentAtMs <= atMs && atMs <= answeredAtMs);
    return isDrawn ? undefined : `${userId} has won, and nothing was drawn meanwhile`;
  }

  /**
   * The largest number of released packets that nobody had won yet, at any release. After an outage, or
   * a top-up that is released at once, it begins anew when the plan is caught up.
   */
  private behind(outages: readonly Span[]): number {
    const { kind, topUp } = this.rain;
    // Everybody is behind a wave that has just begun.
    if (kind === 'waves') return 0;
    const added = { fromMs: topUp.sentAtMs, toMs: topUp.answeredAtMs };
    const spans = [...outages, added].map(({ fromMs, toMs }) => ({ fromMs, toMs: this.caughtUpAtMs(toMs) }));
    const isLeftOut = (ms: number) => spans.some(({ fromMs, toMs }) => fromMs <= ms && ms <= toMs);
    const judged = this.releases.filter((ms) => !isLeftOut(ms));
    return Math.max(0, ...judged.map((ms) => this.due(ms) - upTo(this.wins, ms)));
  }

  /** Users who are to come after the same wave come one after the other. */
  private comeback(early: readonly TapAnswer[]): { faults: string[]; percent: number } {
    const faults: string[] = [];
    let percent = 0;
    for (const { atMs } of this.rain.kind === 'waves' ? this.rain.releases : []) {
      const waiting = early.filter(
        ({ userId, sentAtMs, answeredAtMs }) =>
          nextOf(this.parts[this.homeOf(userId)]!.releases, sentAtMs) === atMs && answeredAtMs < atMs,
      );
      const delays = new Map(waiting.map(({ userId, nextAt }) => [userId, Date.parse(nextAt!) - atMs]));
      const shares = new Map<number, number>();
      for (const ms of delays.values()) {
        const share = Math.floor((ms * SHARES) / STAGGER_MS);
        shares.set(share, (shares.get(share) ?? 0) + 1);
      }
      const [mean, most] = [delays.size / SHARES, Math.max(0, ...shares.values())];
      if (most > mean + DEVIATIONS * Math.sqrt(mean))
        faults.push(`${most} of ${delays.size} users were asked to come within the same half second`);
      percent = Math.max(percent, Math.round((100 * most) / delays.size) || 0);
    }
    return { faults, percent };
  }
}
