import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../../../libs/batching';
import { DeadlineExceeded, within } from '../../../../libs/deadline';
import { AppConfig } from '../../../platform/config';
import { unavailable } from '../../../platform/http';
import { InjectUrgentPool, type Queries } from '../../../platform/postgres';
import { Repeats } from '../../../platform/schedule';
import {
  type AdmissionRow,
  type Attempt,
  ActivityRepository,
  isNewer,
  noSuchActivity,
  PUBLIC,
  refuseNewer,
  Visibility,
} from '../../activity';
import { Currencies } from '../../currency';
import { type AdmissionRule, AdmissionRules, type Admitted, UNRESTRICTED } from './admission-rules';
import type { TapOptions } from './tap-options';

/** The longest time until a process learns that something that its rules have read has changed. */
const REFRESH_MS = 1_000;

/** The newest activities that are known before the first tap: crowds come to new ones. */
const NEWEST = 200;
const KNOWN_MAX = 10_000;

const LOOKUPS_PER_QUERY_MAX = 500;
const LOOKUPS_WAITING_MAX = 5_000;

/** No activity has this id. */
const ID_OF_NOTHING = '0';

const LIMITED: Admitted = { hold: false, mayLimit: true };

const ADMITTED = { hold: false };

interface Question {
  /** The activity to read; the id of nothing if it is known already. */
  readonly readId: string;
  readonly activityId: string;
  readonly userId: string;
}

interface Met {
  readonly row: AdmissionRow | undefined;
  /** The user holds a packet of the activity. Asked only where they may be refused as an outsider. */
  readonly isHolder: boolean;
}

interface TapToAdmit {
  readonly activityId: string;
  readonly userId: string;
  readonly options: TapOptions;
  readonly attempt: Attempt | undefined;
}

/**
 * Admits users to taps by the rule of the activity, before Redis is asked. Terms never change, so
 * each process asks Postgres once about an activity, and mostly before it is tapped.
 */
@Injectable()
export class Admissions implements OnModuleInit {
  private readonly rows = new LRUCache<string, AdmissionRow>({ max: KNOWN_MAX });
  private readonly lookups = new Batcher<Question, Met>({
    run: (questions) => this.lookUp(questions),
    sizeMax: LOOKUPS_PER_QUERY_MAX,
    concurrencyMax: 1,
  });

  constructor(
    private readonly activities: ActivityRepository,
    private readonly rules: AdmissionRules,
    private readonly currencies: Currencies,
    private readonly visibility: Visibility,
    private readonly config: AppConfig,
    @InjectUrgentPool() private readonly db: Queries,
  ) {}

  onModuleInit(): Promise<void> {
    return this.refresh();
  }

  /**
   * Returns a promise only when this process meets the activity for the first time, its rule is not prepared for it,
   * the user may be an outsider, or has made wrong attempts at keys.
   *
   * @throws (or rejects with) activityNotFound, activityNewer, unavailable, and the problems of its rules
   */
  admitUser(activityId: string, userId: string, options: TapOptions): Admitted | Promise<Admitted> {
    const attempt = this.visibility.beginAttempt(userId, options);
    const tap = { activityId, userId, options, attempt };
    return attempt?.admission?.then(() => this.admitTap(tap)) ?? this.admitTap(tap);
  }

  private admitTap(tap: TapToAdmit): Admitted | Promise<Admitted> {
    const row = this.rows.get(tap.activityId);
    if (row && this.isPreparedFor(row)) return this.judge(row, tap) ?? this.admitByLookup(tap, row);
    return this.admitByLookup(tap);
  }

  /**
   * The path of everybody who may be refused as an outsider: one lookup that takes the same work whether the activity
   * is known, new to this process, or does not exist, so that the time of an answer reveals nothing. It finds users
   * who hold a packet and may always know of the activity, whatever key they came with.
   *
   * @param known the activity, if this process knows it
   */
  private async admitByLookup(tap: TapToAdmit, known?: AdmissionRow): Promise<Admitted> {
    const { activityId, userId, attempt } = tap;
    const readId = known ? ID_OF_NOTHING : activityId;
    const { row = known, isHolder } = await this.meet({ readId, activityId, userId }).catch(
      async (error: unknown) => {
        // Nobody has judged the key to an activity that this process does not know. To a known one it was wrong.
        if (known) await attempt?.fail();
        else attempt?.succeed();
        throw error;
      },
    );
    const admitted = row && this.judge(row, tap, isHolder);
    if (admitted) return admitted;
    await attempt?.fail();
    throw noSuchActivity(activityId);
  }

  /** Undefined for an outsider. Only their attempt fails, whatever then happens to the answer. */
  private judge(row: AdmissionRow, tap: TapToAdmit, isHolder = false): Admitted | undefined {
    let isOutsider = false;
    try {
      const admitted = this.admitTo(row, tap, isHolder);
      isOutsider = admitted === undefined;
      return admitted;
    } finally {
      if (!isOutsider) tap.attempt?.succeed();
    }
  }

  /** True also for an activity that is refused: nothing has to be read for it. */
  private isPreparedFor(row: AdmissionRow): boolean {
    if (isOpen(row)) return true;
    return kindsOf(row).every((kind) => this.rules.findRule(kind)?.isPreparedFor(row) ?? true);
  }

  /**
   * A kind of admission that no rule knows must not let everybody in. The audience is judged first: only people who
   * may know of an activity learn why they may not tap.
   * @returns undefined for an outsider
   */
  private admitTo(
    row: AdmissionRow,
    { userId, options }: TapToAdmit,
    isHolder: boolean,
  ): Admitted | undefined {
    if (isOpen(row) && !isNewer(row)) return row.hasLimits ? LIMITED : UNRESTRICTED;
    let hold = false;
    for (const kind of kindsOf(row)) {
      const rule = this.rules.findRule(kind);
      if (!rule) throw refuseNewer(row.id);
      const admitted = rule.admit(row, userId, options) ?? (isHolder ? ADMITTED : undefined);
      if (!admitted) return undefined;
      hold ||= admitted.hold;
    }
    if (isNewer(row)) throw refuseNewer(row.id);
    return { hold, mayLimit: row.hasLimits };
  }

  @Repeats('Admissions', REFRESH_MS)
  async refresh(): Promise<void> {
    const newest = await this.activities.newestAdmissions(NEWEST);
    await this.learn(newest, (rule, own) => rule.refresh(own));
  }

  private async meet(question: Question): Promise<Met> {
    if (this.lookups.size >= LOOKUPS_WAITING_MAX) throw full();
    return within(this.config.CONFIRM_TIMEOUT_MS, this.lookups.submit(question)).catch((cause: unknown) => {
      throw cause instanceof DeadlineExceeded ? full(cause) : cause;
    });
  }

  private async lookUp(questions: readonly Question[]): Promise<Met[]> {
    const ids = questions.map(({ readId }) => readId);
    const rows = await this.activities.admissionsOf(ids, this.db);
    await this.learn(rows, (rule, own) => rule.prepare(own, ids));
    const met = questions.map((question) => ({ question, row: this.rows.get(question.readId) }));
    const doubtful = met.filter(({ row }) => row?.audience !== PUBLIC).map(({ question }) => question);
    const holders = await this.visibility.holdersAmong(doubtful, this.db);
    return met.map(({ question, row }) => ({ row, isHolder: holders.has(question) }));
  }

  /** An activity is known once its rule is prepared for it. */
  private async learn(
    rows: readonly AdmissionRow[],
    prepare: (rule: AdmissionRule, own: readonly AdmissionRow[]) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      Array.from(this.rules.allRules(), (rule) =>
        prepare(
          rule,
          rows.filter((row) => kindsOf(row).some((kind) => rule.kinds.includes(kind))),
        ),
      ),
    );
    await this.currencies.remember(rows);
    for (const row of rows) this.rows.set(row.id, row);
  }
}

const isOpen = ({ admission, audience }: AdmissionRow): boolean =>
  admission === 'open' && audience === PUBLIC;

/** The kinds by which its rules are found. */
const kindsOf = ({ admission, audience }: AdmissionRow): string[] => [
  ...(audience === PUBLIC ? [] : [audience]),
  ...(admission === 'open' ? [] : [admission]),
];

const full = (cause?: unknown): Error =>
  unavailable('Postgres has not said yet who may tap here; tap again.', { retryAfterSeconds: 1, cause });
