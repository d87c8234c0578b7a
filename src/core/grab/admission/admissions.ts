import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Batcher } from '../../../../libs/batching';
import { DeadlineExceeded, within } from '../../../../libs/deadline';
import { Problem } from '../../../../libs/problem';
import { AppConfig } from '../../../platform/config';
import { unavailable } from '../../../platform/http';
import { InjectUrgentPool, type Queries } from '../../../platform/postgres';
import { Repeats } from '../../../platform/schedule';
import {
  activityNotFound,
  type AdmissionRow,
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

/** The longest time until a process learns that something its rules have read has changed. */
const REFRESH_MS = 1_000;

/** The newest activities that are known before the first tap: crowds come to new ones. */
const NEWEST = 200;
const KNOWN_MAX = 10_000;

const LOOKUPS_PER_QUERY_MAX = 500;
const LOOKUPS_WAITING_MAX = 5_000;

/** No activity has it. */
const ID_OF_NOTHING = '0';

const LIMITED: Admitted = { hold: false, mayLimit: true };

/**
 * Admits users to taps by the rule of the activity, before Redis is asked. Terms never change, so
 * each process asks Postgres once about an activity, and mostly before it is tapped.
 */
@Injectable()
export class Admissions implements OnModuleInit {
  private readonly rows = new LRUCache<string, AdmissionRow>({ max: KNOWN_MAX });
  private readonly lookups = new Batcher<string, AdmissionRow | undefined>({
    run: (ids) => this.lookUp(ids),
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
   * Returns a promise only when this process meets the activity for the first time, or its rule is
   * not prepared for it.
   *
   * @throws (or rejects with) activityNotFound, activityNewer, unavailable, and the problems of its rules
   */
  admitUser(activityId: string, userId: string, options: TapOptions): Admitted | Promise<Admitted> {
    const takeBack = this.visibility.countAttempt(userId, options);
    const row = this.rows.get(activityId);
    if (row && this.isPreparedFor(row))
      return this.judge(row, userId, options, takeBack) ?? this.refuseOutsider(activityId);
    return this.meet(activityId).then(
      (met) => {
        const admitted = this.judge(met, userId, options, takeBack);
        if (!admitted) throw noSuchActivity(activityId);
        return admitted;
      },
      (error: unknown) => {
        if (!isNoSuchActivity(error)) takeBack?.();
        throw error;
      },
    );
  }

  /**
   * Only an attempt by an outsider stays counted, whatever then happens to the answer.
   * @returns undefined for an outsider
   */
  private judge(
    row: AdmissionRow,
    userId: string,
    options: TapOptions,
    takeBack?: () => void,
  ): Admitted | undefined {
    let isOutsider = false;
    try {
      const admitted = this.admitTo(row, userId, options);
      isOutsider = admitted === undefined;
      return admitted;
    } finally {
      if (!isOutsider) takeBack?.();
    }
  }

  /** Does what is done for an id that does not exist, so that an answer that comes sooner tells nobody anything. */
  private async refuseOutsider(activityId: string): Promise<never> {
    await this.meet(ID_OF_NOTHING, activityId);
    throw noSuchActivity(activityId);
  }

  /** Nothing has to be read for an activity that is refused. */
  private isPreparedFor(row: AdmissionRow): boolean {
    if (isOpen(row)) return true;
    return kindsOf(row).every((kind) => this.rules.findRule(kind)?.isPreparedFor(row) ?? true);
  }

  /**
   * A kind of admission that no rule knows must not let everybody in. The audience is judged first: only who may
   * know of an activity hears why they may not tap.
   * @returns undefined for an outsider
   */
  private admitTo(row: AdmissionRow, userId: string, options: TapOptions): Admitted | undefined {
    if (isOpen(row) && !isNewer(row)) return row.hasLimits ? LIMITED : UNRESTRICTED;
    let hold = false;
    for (const kind of kindsOf(row)) {
      const rule = this.rules.findRule(kind);
      if (!rule) throw refuseNewer(row.id);
      const admitted = rule.admit(row, userId, options);
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

  /** @param namedId the id in the answer if there is no such activity */
  private async meet(activityId: string, namedId = activityId): Promise<AdmissionRow> {
    if (this.lookups.size >= LOOKUPS_WAITING_MAX) throw full();
    const row = await within(this.config.CONFIRM_TIMEOUT_MS, this.lookups.submit(activityId)).catch(
      (cause: unknown) => {
        throw cause instanceof DeadlineExceeded ? full(cause) : cause;
      },
    );
    if (!row) throw noSuchActivity(namedId);
    return row;
  }

  private async lookUp(ids: readonly string[]): Promise<(AdmissionRow | undefined)[]> {
    const rows = await this.activities.admissionsOf(ids, this.db);
    await this.learn(rows, (rule, own) => rule.prepare(own, ids));
    return ids.map((id) => this.rows.get(id));
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

/** What its rules are found by. */
const kindsOf = ({ admission, audience }: AdmissionRow): string[] => [
  ...(audience === PUBLIC ? [] : [audience]),
  ...(admission === 'open' ? [] : [admission]),
];

const isNoSuchActivity = (error: unknown): boolean =>
  error instanceof Problem && error.code === activityNotFound.definition.code;

const full = (cause?: unknown): Error =>
  unavailable('Postgres has not said yet who may tap here; tap again.', { retryAfterSeconds: 1, cause });
