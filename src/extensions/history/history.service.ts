import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../platform/http';
import { type Activity, ActivityRepository, rowsArchived } from '../../core/activity';
import { Currencies, type KnownCurrency } from '../../core/currency';
import { TAP_ANSWERS, type TapAnswer } from '../../core/grab';
import type { HistoryAnswersDto, HistoryDto, HistoryFiguresDto } from './history.dto';
import { HistoryRepository, type MoneyStep, type TapStep } from './history.repository';
import { byAnswer, noTaps } from './tap-minute';
import { quantileMs } from './tap-times';

/** Minutes, quarters of an hour, hours, days and weeks. */
const STEPS_SECONDS = [60, 900, 3_600, 86_400, 604_800];
const STEPS_MAX = 720;

/**
 * All claims of an activity are read, but only once in this time, however many people watch, and for at most a
 * twentieth of it. A failed read is not repeated sooner either, because it may have failed by taking too long.
 */
const KEPT_MS = 15_000;
const KEPT_TIMES = 20;
const REMEMBERED_MAX = 200;

interface Remembered {
  readonly history: Promise<HistoryDto>;
  /** A time of the monotonic clock of this process. */
  until: number;
}

/** What happened in some span of time. */
interface Figures extends Pick<MoneyStep, 'wins' | 'credited' | 'creditedMinor'> {
  readonly answers: Readonly<Record<TapAnswer, number>>;
  readonly times: readonly number[];
}

interface Steps {
  readonly stepSeconds: number;
  readonly steps: readonly (Figures & { readonly at: Date })[];
}

const NO_TAPS = noTaps();
const NO_MONEY = { wins: 0, credited: 0, creditedMinor: 0n };

@Injectable()
export class HistoryService {
  private readonly remembered = new LRUCache<string, Remembered>({ max: REMEMBERED_MAX });

  constructor(
    private readonly activities: ActivityRepository,
    private readonly repository: HistoryRepository,
    private readonly currencies: Currencies,
  ) {}

  /** @throws activityNotFound, also for callers who are neither its sponsor nor staff; activityArchived */
  async ofActivity(activityId: string, caller: Caller): Promise<HistoryDto> {
    const activity = await this.activities.managedBy(caller, activityId);
    if (activity.isArchived) throw rowsArchived(activityId);
    const remembered = this.remembered.get(activityId);
    if (remembered && performance.now() < remembered.until) return remembered.history;
    return this.readOnce(activity);
  }

  private readOnce(activity: Activity): Promise<HistoryDto> {
    const startedAt = performance.now();
    const remembered: Remembered = { history: this.read(activity), until: Infinity };
    this.remembered.set(activity.id, remembered);
    const keepFor = (atLeastMs: number) => () => {
      const endedAt = performance.now();
      remembered.until = endedAt + Math.max(atLeastMs, KEPT_TIMES * (endedAt - startedAt));
    };
    remembered.history.then(keepFor(KEPT_MS), keepFor(0));
    return remembered.history;
  }

  private async read({ id, sponsorId, opensAt, currency: code }: Activity): Promise<HistoryDto> {
    const currency = await this.currencies.of(code);
    const spanSeconds = await this.repository.spanSeconds(id);
    const previousActivityId = await this.repository.previousId(id, sponsorId);
    const { stepSeconds, steps } = await this.readSteps(id, spanSeconds);
    const points = steps.map(({ at, ...figures }) => ({
      at: at.toISOString(),
      ...viewOf(figures, currency),
    }));
    return {
      activityId: id,
      currency: code,
      opensAt: opensAt.toISOString(),
      stepSeconds,
      total: viewOf(steps.reduce<Figures>(added, { ...NO_TAPS, ...NO_MONEY }), currency),
      points,
      previousActivityId,
    };
  }

  /** Takes the first step that is long enough. Claims may span more minutes than taps, which are forgotten earlier. */
  private async readSteps(id: string, spanSeconds: number): Promise<Steps> {
    const fitting = STEPS_SECONDS.filter((step) => spanSeconds / step < STEPS_MAX);
    for (const stepSeconds of fitting) {
      const [taps, money] = await Promise.all([
        this.repository.taps(id, stepSeconds),
        this.repository.money(id, stepSeconds, STEPS_MAX + 1),
      ]);
      const steps = joined(taps, money);
      if (steps.length <= STEPS_MAX) return { stepSeconds, steps };
    }
    throw new Error(`Activity ${id} lasted longer than ${STEPS_MAX} weeks.`);
  }
}

function viewOf(
  { answers, times, wins, credited, creditedMinor }: Figures,
  currency: KnownCurrency,
): HistoryFiguresDto {
  return {
    taps: TAP_ANSWERS.reduce((sum, answer) => sum + answers[answer], 0),
    answers: answersView(answers),
    p50Ms: quantileMs(times, 0.5),
    p99Ms: quantileMs(times, 0.99),
    wins,
    credited,
    creditedAmount: currency.format(creditedMinor),
  };
}

/** Steps of both kinds in the order of time. */
function joined(taps: readonly TapStep[], money: readonly MoneyStep[]): (Figures & { readonly at: Date })[] {
  const steps = new Map<number, Figures & { readonly at: Date }>();
  for (const step of taps) steps.set(step.at.getTime(), { ...step, ...NO_MONEY });
  for (const step of money)
    steps.set(step.at.getTime(), { ...NO_TAPS, ...steps.get(step.at.getTime()), ...step });
  return [...steps.values()].sort((a, b) => a.at.getTime() - b.at.getTime());
}

const added = (sum: Figures, more: Figures): Figures => ({
  answers: byAnswer((answer) => sum.answers[answer] + more.answers[answer]),
  times: sum.times.map((count, bucket) => count + more.times[bucket]!),
  wins: sum.wins + more.wins,
  credited: sum.credited + more.credited,
  creditedMinor: sum.creditedMinor + more.creditedMinor,
});

const answersView = (answers: Figures['answers']): HistoryAnswersDto => ({
  won: answers.won,
  already: answers.already,
  reserved: answers.reserved,
  soldOut: answers['sold-out'],
  limit: answers.limit,
  notOpen: answers['not-open'],
  notYet: answers['not-yet'],
  closed: answers.closed,
  unavailable: answers.unavailable,
});
