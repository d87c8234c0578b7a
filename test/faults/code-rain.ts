import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../harness/engines';
import { Chance } from './chance';
import { internalErrors } from './checker';
import { CodeGifts } from './code-gifts';
import { CrowdProcess } from './crowd-process';
import { EngineReader } from './engine-reader';
import type { Kind, Scene } from './kind';
import { kindsNamed } from './kinds';
import { Operator } from './operator';
import { brokenInvariants, insist, onOwnSystem, type ProofPlan, quiet } from './proof';
import type { System } from './system';

/** Programs and engines die, answers get lost, and Redis forgets everything. */
const HARMS = [
  'kill-api',
  'kill-worker',
  'kill-redis',
  'kill-postgres',
  'kill-all',
  'lost-reply',
  'flushall',
];
const CALM_MS = [4_000, 8_000] as const;

const USERS_AT_ONCE = 2_000;
const SPREAD_MS = 1_000;
const DAY_MS = 86_400_000;

export interface CodeRainPlan extends ProofPlan {
  readonly winners: number;
}

/**
 * One large rain of codes. Everybody taps until each has won, and then looks at what it is, while programs and
 * engines are killed. It holds if each winner sees a code of their own, and always the same one, and if no code
 * stands in any file of the system. Returns the faults.
 */
export const codeRain = (plan: CodeRainPlan): Promise<string[]> =>
  onOwnSystem(plan, (system) => new CodeRain(system, plan).play());

class CodeRain {
  private readonly chance: Chance;
  private readonly operator: Operator;
  private readonly crowd: CrowdProcess;
  private readonly strikes = new Map<string, number>();
  private readonly userIds: readonly string[];
  private activityId = '';

  constructor(
    private readonly system: System,
    private readonly plan: CodeRainPlan,
  ) {
    const apiUrls = system.apis.map(({ url }) => url);
    this.chance = new Chance(`codes/${plan.seed}`);
    this.operator = new Operator(apiUrls);
    this.crowd = new CrowdProcess(apiUrls);
    this.userIds = Array.from({ length: plan.winners }, (_, i) => `winner-${i}`);
  }

  async play(): Promise<string[]> {
    const { system, plan } = this;
    const gifts = await CodeGifts.open(this.operator, 'sponsor', plan.winners);
    this.activityId = await this.createActivity(gifts.currency.code);
    await this.amongHarms(() => this.win());
    const before = await EngineReader.open(system);
    await quiet(system, before);
    const won = (await before.claims(this.activityId)).filter(({ credits }) => credits === 1).length;
    plan.say(`${won} of ${plan.winners} have won a code`);
    const show = await gifts.toShow(before, [this.activityId]);
    await before.close();
    await this.amongHarms(show);
    // The engines of the first reader have died meanwhile.
    const reader = await EngineReader.open(system);
    await this.operator.post(`/v1/activities/${this.activityId}/close`);
    await waitFor(
      async () => {
        await system.reviveTheDead();
        return (await reader.activity(this.activityId)).status === 'closed';
      },
      { what: 'the end' },
    );
    const faults = await gifts.judge(reader, [this.activityId], []);
    const broken = await brokenInvariants(reader);
    await reader.close();
    this.crowd.end();
    plan.say(`struck ${[...this.strikes].map(([name, times]) => `${times} × ${name}`).join(', ')}`);
    const files = await filesWith(system.directory, gifts.mark);
    return [
      ...(won === plan.winners ? [] : [`${won} of ${plan.winners} have won`]),
      ...internalErrors(this.crowd.log.requests),
      ...this.operator.internalErrors,
      ...faults,
      ...broken,
      ...files.map((file) => `codes stand in ${file}`),
    ];
  }

  private async createActivity(currency: string): Promise<string> {
    const { winners } = this.plan;
    const [opensAt, closesAt] = [0, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString());
    const amounts = {
      totalAmount: String(winners),
      packetCount: winners,
      split: { kind: 'equal' },
      currency,
    };
    const body = { name: 'A rain of codes', sponsorId: 'sponsor', ...amounts, opensAt, closesAt };
    return (await this.operator.post('/v1/activities', body)).id;
  }

  /** A user who was not answered in time comes again with all others. */
  private async win(): Promise<void> {
    for (let from = 0; from < this.userIds.length; from += USERS_AT_ONCE) {
      const users = this.userIds.slice(from, from + USERS_AT_ONCE);
      const delaysMs = new Map(users.map((userId) => [userId, this.chance.integer(0, SPREAD_MS)]));
      await insist(() => this.crowd.ask('tapAll', this.activityId, delaysMs));
    }
  }

  /** Does the work while one harm after the other strikes. */
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
      this.strikes.set(kind.name, (this.strikes.get(kind.name) ?? 0) + 1);
      await pause(this.chance.integer(...CALM_MS));
    }
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

/** Searches all that engines and programs have written. */
async function filesWith(directory: string, mark: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && (await holds(file, mark))) found.push(file);
  }
  return found;
}

async function holds(file: string, mark: string): Promise<boolean> {
  let tail = '';
  for await (const chunk of createReadStream(file, 'latin1')) {
    const text = tail + String(chunk);
    if (text.includes(mark)) return true;
    tail = text.slice(-mark.length);
  }
  return false;
}
