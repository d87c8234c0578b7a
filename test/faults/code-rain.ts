import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../harness/engines';
import { Chance } from './chance';
import { internalErrors } from './checker';
import { CodeGifts, type Winner } from './code-gifts';
import { CodeSearch } from './code-search';
import { CrowdProcess } from './crowd-process';
import { EngineReader } from './engine-reader';
import type { Kind, Scene } from './kind';
import { kindsNamed } from './kinds';
import { Operator } from './operator';
import { insist, onOwnSystem, type ProofPlan, quiet } from './proof';
import type { System } from './system';

/** Programs and engines die, answers get lost, Postgres is restored from a moment ago, and Redis forgets everything. */
const HARMS = [
  'kill-api',
  'kill-worker',
  'kill-redis',
  'kill-postgres',
  'kill-all',
  'lost-reply',
  'lost-commits',
  'flushall',
];

/** In a large rain the harms are further apart, or it would take hours. */
const CALM_MS = [4_000, 8_000] as const;
const CALM_OF_LARGE_MS = [15_000, 25_000] as const;
const LARGE = 20_000;

const USERS_AT_ONCE = 2_000;
const SPREAD_MS = 1_000;
const TAPPED_TIMES_MAX = 20;
const DAY_MS = 86_400_000;
const TRUSTED_WITHIN_MS = 120_000;

/** In the first rain, one code in this many is not won, and goes back to the pool. */
const LEFT_OF = 10;

/** One winner in this many looks immediately. Everyone looks later, and once more at the end. */
const LOOKS_AT_ONCE_OF = 3;

/** Enough for some to hear an event: each connection dies with its API, and not every event is sent again. */
const LISTENERS = 20;

export interface CodeRainPlan extends ProofPlan {
  readonly codes: number;
}

/**
 * One large rain of all codes of a pool, a tenth of which nobody wins, and then a rain of that tenth. Everyone
 * taps until they have won, and looks at their code, while programs and engines are killed. In the end each code
 * must have been shown to exactly one person, always the same one, and no code may appear in anything else that
 * the system has written or sent. Returns the faults.
 */
export const codeRain = (plan: CodeRainPlan): Promise<string[]> =>
  onOwnSystem(plan, (system) => new CodeRain(system, plan).play());

interface Rain {
  readonly id: string;
  readonly userIds: readonly string[];
}

class CodeRain {
  private readonly chance: Chance;
  private readonly operator: Operator;
  private readonly crowd: CrowdProcess;
  private readonly strikes = new Map<string, number>();
  private readonly userIds: readonly string[];
  private readonly faults: string[] = [];
  private activityId = '';

  constructor(
    private readonly system: System,
    private readonly plan: CodeRainPlan,
  ) {
    const { apiUrls } = system;
    this.chance = new Chance(`codes/${plan.seed}`);
    this.operator = new Operator(apiUrls);
    this.crowd = new CrowdProcess(apiUrls);
    this.userIds = Array.from({ length: plan.codes }, (_, i) => `winner-${i}`);
  }

  async play(): Promise<string[]> {
    const { system, plan } = this;
    const gifts = await CodeGifts.open(this.operator, 'sponsor', plan.codes);
    const search = await CodeSearch.begin(system, gifts.mark, /winner-|messageId/);
    await this.operator.post('/v1/webhooks', { url: search.webhookUrl });
    for (const userId of this.userIds.slice(-LISTENERS)) void search.listen(userId);

    const left = Math.ceil(plan.codes / LEFT_OF);
    const first = await this.rain(gifts, search, plan.codes, this.userIds.slice(left));
    const second = await this.rain(gifts, search, left, this.userIds.slice(0, left));
    const ids = [first.id, second.id];
    plan.say(`${gifts.shownCount} of ${plan.codes} codes were shown`);
    if (gifts.shownCount !== plan.codes) this.faults.push(`${gifts.shownCount} codes were shown`);

    const reader = await EngineReader.open(system);
    this.faults.push(...(await gifts.judge(reader, ids, [])), ...(await reader.brokenInvariants()));
    await reader.close();
    this.crowd.end();
    const seen = await search.end(ids, gifts.currency.code);
    plan.say(`searched ${search.searchedMiB} MiB, ${search.messages} messages to a webhook among them`);
    plan.say(`struck ${[...this.strikes].map(([name, times]) => `${times} × ${name}`).join(', ')}`);
    return [
      ...internalErrors(this.crowd.log.requests),
      ...this.operator.internalErrors,
      ...this.faults,
      ...seen,
    ];
  }

  /** All of these users win and look. Then the rain is closed, and the codes that nobody won return. */
  private async rain(
    gifts: CodeGifts,
    search: CodeSearch,
    packets: number,
    userIds: readonly string[],
  ): Promise<Rain> {
    const { system, plan } = this;
    this.activityId = await this.createActivity(gifts.currency.code, packets);
    const rain = { id: this.activityId, userIds };
    await this.amongHarms(() => this.win(rain, gifts));
    const reader = await EngineReader.open(system);
    await quiet(system, reader);
    const won = (await reader.claims(rain.id)).filter(({ credits }) => credits === 1).length;
    plan.say(`${won} of ${userIds.length} have won a code, ${gifts.shownCount} codes were shown`);
    if (won !== userIds.length) this.faults.push(`${won} of ${userIds.length} have won`);
    await search.searchRedis();
    const show = await gifts.toShow(reader, [rain.id]);
    // The engines that this reader is connected to will die.
    await reader.close();
    await this.amongHarms(async () => {
      await show();
      await this.operator.post(`/v1/activities/${rain.id}/close`);
      await gifts.untilBack(packets - userIds.length);
    });
    return rain;
  }

  private createActivity(currency: string, packets: number): Promise<string> {
    const amounts = { totalAmount: String(packets), packetCount: packets, currency };
    return this.operator.createRain({ name: 'A rain of codes', sponsorId: 'sponsor', ...amounts }, DAY_MS);
  }

  /** A user who is not answered in time comes again with all others. Some look while others tap. */
  private async win({ id, userIds }: Rain, gifts: CodeGifts): Promise<void> {
    let looking = Promise.resolve();
    for (let from = 0; from < userIds.length; from += USERS_AT_ONCE) {
      const users = userIds.slice(from, from + USERS_AT_ONCE);
      const delaysMs = new Map(users.map((userId) => [userId, this.chance.integer(0, SPREAD_MS)]));
      await insist(() => this.crowd.ask('tapAll', id, delaysMs), TAPPED_TIMES_MAX);
      await looking;
      looking = gifts.show(this.promisedTo(id, new Set(users.filter((_, i) => i % LOOKS_AT_ONCE_OF === 0))));
      // A failure surfaces where this is awaited.
      looking.catch(() => undefined);
    }
    await looking;
  }

  /** The packets that these users heard of. */
  private promisedTo(activityId: string, users: ReadonlySet<string>): Winner[] {
    const { requests } = this.crowd.log;
    const packets = new Map<string, string>();
    for (const { userId, activityId: at, told } of requests)
      if (at === activityId && users.has(userId) && told?.redPacketId) packets.set(userId, told.redPacketId);
    return [...packets].map(([userId, redPacketId]) => ({ userId, redPacketId }));
  }

  /** Does the work while one harm after another strikes. */
  private async amongHarms(work: () => Promise<void>): Promise<void> {
    const done = new AbortController();
    const striking = this.strikeUntil(done.signal);
    try {
      await work();
    } finally {
      done.abort();
      await striking;
    }
  }

  private async strikeUntil(signal: AbortSignal): Promise<void> {
    const kinds = HARMS.flatMap(kindsNamed);
    for (let bag: Kind[] = []; !signal.aborted;) {
      if (bag.length === 0) bag = this.chance.shuffle(kinds);
      const kind = bag.pop()!;
      await kind.strike(this.scene());
      await this.system.startServices();
      if (kind.name === 'lost-commits') await this.untilRedisIsTrusted();
      this.strikes.set(kind.name, (this.strikes.get(kind.name) ?? 0) + 1);
      const [fewMs, manyMs] = this.plan.codes < LARGE ? CALM_MS : CALM_OF_LARGE_MS;
      await pause(this.chance.integer(fewMs, manyMs));
    }
  }

  /** Until then only Redis knows the wins that Postgres has lost. */
  private async untilRedisIsTrusted(): Promise<void> {
    const reader = await EngineReader.open(this.system);
    const isTrusted = async () => (await reader.untoldShards()) === 0;
    await waitFor(isTrusted, { what: 'a Redis that is trusted', timeoutMs: TRUSTED_WITHIN_MS });
    await reader.close();
  }

  private scene(): Scene {
    const nothing = () => undefined;
    return {
      system: this.system,
      chance: this.chance,
      activityId: this.activityId,
      parts: 1,
      userIds: this.userIds,
      poisoned: [],
      close: () => Promise.resolve(),
      hit: nothing,
      killed: nothing,
      forgive: nothing,
    };
  }
}
