import { setTimeout as pause } from 'node:timers/promises';
import type { Stage } from '../bench/stage';
import { ARCHIVE_EVERY_SECONDS, Backups } from './backups';
import { System } from './system';
import { Rain, tapUntilAnswered } from './taps';
import { compare, type Told } from './told';

const RAIN_PACKETS = 100_000;
const FAULTS_SHOWN = 10;

export interface Story {
  readonly title: string;
  /** Number of claims between the backup and the loss, in addition to those of the rain. */
  readonly claimsSince?: number;
  /** Restores to this long before the loss; to the end of the archive unless given. */
  readonly backMs?: number;
  /** Redis is lost together with Postgres, and starts empty. */
  readonly redisIsLost?: boolean;
}

export interface Figures {
  readonly claims: number;
  readonly baseBytes: number;
  readonly logBytes: number;
  readonly backupMs: number;
  readonly restoreMs: number;
  readonly recoveryMs: number;
  readonly startMs: number;
  readonly firstTapMs: number;
  readonly settledMs: number;
  readonly verifyMs: number;
  /** Time between the last commit that was restored and the loss. */
  readonly lostCommitsMs: number;
  readonly told: number;
  /** Answers since the last commit that was restored. */
  readonly toldSince: number;
  readonly lost: number;
}

export interface Outcome {
  readonly figures: Figures;
  readonly faults: readonly string[];
}

interface Loss {
  readonly atMs: number;
  readonly rainId: string;
  readonly backupMs: number;
}

/** A system that loses its Postgres in each story while it rains, and is restored from its backups. */
export class Drill {
  private told: readonly Told[] = [];

  private constructor(
    private readonly stage: Stage,
    private readonly backups: Backups,
    private readonly system: System,
  ) {}

  static async begin(stage: Stage): Promise<Drill> {
    const backups = new Backups(stage.directory);
    return new Drill(stage, backups, await System.start(stage, backups));
  }

  async makeHistory(claims: number): Promise<void> {
    this.told = [...this.told, ...(await this.system.play(claims))];
    await this.system.settled();
  }

  async play(story: Story): Promise<Outcome> {
    const loss = await this.loseInARain(story);
    const target = story.backMs === undefined ? undefined : new Date(loss.atMs - story.backMs);
    const restored = await this.restore(target);
    const restoredToMs = await this.system.lastClaimAtMs();
    if (story.redisIsLost) await this.system.loseRedis();
    const back = await this.comeBack(loss.rainId);
    const { figures, faults } = await this.judge(story, restoredToMs);
    const lostCommitsMs = loss.atMs - restoredToMs;
    return { figures: { backupMs: loss.backupMs, ...restored, ...back, lostCommitsMs, ...figures }, faults };
  }

  private async loseInARain({ claimsSince = 0, backMs = 0 }: Story): Promise<Loss> {
    const { system } = this;
    const rainId = await system.open(RAIN_PACKETS);
    const rain = await Rain.begin(system.port, rainId);
    const backupMs = await timed(() => this.backups.take(system.database));
    const targetIsInLog = pause(backMs + 1_000 * ARCHIVE_EVERY_SECONDS);
    const since = claimsSince === 0 ? [] : await system.play(claimsSince);
    await targetIsInLog;
    const atMs = Date.now();
    await system.losePostgres();
    await rain.end();
    await system.stopPrograms();
    this.told = [...this.told, ...since, ...rain.told];
    return { atMs, rainId, backupMs };
  }

  private async restore(target?: Date) {
    const dataDir = this.stage.newDir('postgres');
    const restoreMs = await timed(() => this.backups.restoreInto(dataDir, target));
    const { baseBytes, logBytes } = this.backups;
    const recoveryMs = await timed(() => this.system.recover(dataDir));
    return { baseBytes, logBytes, restoreMs, recoveryMs };
  }

  private async comeBack(rainId: string) {
    const { system } = this;
    const startMs = await timed(() => system.startPrograms());
    const settled = timed(() => system.settled());
    const firstTapMs = await timed(() => tapUntilAnswered(system.port, rainId, `first-${rainId}`));
    return { startMs, firstTapMs, settledMs: await settled };
  }

  /** If Redis survives, no answer may be lost; otherwise, none from before the last commit. */
  private async judge({ redisIsLost = false }: Story, restoredToMs: number) {
    let verdict = { balanced: false, output: '' };
    const verifyMs = await timed(async () => void (verdict = await this.system.verify()));
    const claims = await this.system.claims();
    const { lost, changed } = compare(this.told, claims);
    const since = this.told.filter(({ atMs }) => atMs >= restoredToMs);
    const mayBeLost = new Set(redisIsLost ? since : []);
    const faults = [
      ...lost.filter((told) => !mayBeLost.has(told)).map((told) => `lost: ${textOf(told)}`),
      ...changed.map((told) => `changed: ${textOf(told)}`),
    ];
    const told = this.told.length;
    const gone = new Set(lost);
    this.told = this.told.filter((one) => !gone.has(one));
    return {
      figures: { claims: claims.length, verifyMs, told, toldSince: since.length, lost: lost.length },
      faults: [...faults.slice(0, FAULTS_SHOWN), ...(verdict.balanced ? [] : [verdict.output])],
    };
  }
}

const textOf = ({ userId, redPacketId, amount, atMs }: Told): string =>
  `${userId} was told ${redPacketId} of ${amount} at ${new Date(atMs).toISOString()}`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
