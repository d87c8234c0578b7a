import { setTimeout as pause } from 'node:timers/promises';
import { RedisKeys } from '../../../libs/redis-scripts';
import { waitFor } from '../../harness/engines';
import { Chance } from '../chance';
import { EngineReader } from '../engine-reader';
import { Operator } from '../operator';
import { brokenInvariants, onOwnSystem, quiet } from '../proof';
import { type Service, SHARDS } from '../service';
import type { System } from '../system';
import { paceOf } from '../terms';
import { brokenBooks } from './books';
import { JournalFiles } from './journal-files';
import { type PacedRain, PaceJudge } from './judge';
import { linesOf } from './lines';
import type { Outage, PacePlan } from './plan';
import { Taps } from './taps';

const PARTS = 6;
/** So many taps for each packet of a plan: somebody always taps. */
const TAPS_PER_PACKET = 25;
const USERS_PER_PACKET = 1.5;
const TOP_UP_SHARE = 0.1;
const TOP_UP_MAX = 1_000;

const PROCESSES = 2;
/** Few enough that an API which cannot keep up still answers its operators and probes. */
const CONNECTIONS_MAX = 400;
const OPENS_IN_MS = 4_000;
const EARLY_MS = 1_000;
const HOUR_MS = 3_600_000;

/** Shares of the time that the plans last. The last wave comes while a master is away. */
const AT = { apiKilled: 0.2, toppedUp: 0.42, workerKilled: 0.5, masterKilled: 0.64 };

type Planned = Omit<PacedRain, 'topUp'>;

/**
 * One rain whose packets are released evenly and one with waves, over parts on three masters. Users
 * tap all the time, while an API, a worker and a master are killed and packets are added. Returns the
 * faults.
 */
export const pacedRains = (plan: PacePlan): Promise<string[]> =>
  onOwnSystem(plan, (system) => new PacedRains(system, plan).play(), { onCluster: true });

class PacedRains {
  private readonly keys = new RedisKeys(SHARDS, { inCluster: true });
  private readonly chance: Chance;
  private readonly operator: Operator;
  private readonly outages: Outage[] = [];
  private readonly packets: number;
  private openedAtMs = 0;

  constructor(
    private readonly system: System,
    private readonly plan: PacePlan,
  ) {
    this.chance = new Chance(`pace/${plan.seed}`);
    this.operator = new Operator(system.apis.map(({ url }) => url));
    this.packets = Math.ceil((plan.perSecond * plan.seconds) / 2 / TAPS_PER_PACKET);
  }

  async play(): Promise<string[]> {
    const { cluster } = this.system;
    // To follow every command takes as much time as to serve it.
    cluster.monitor.lookAway();
    const journals = await JournalFiles.begin(cluster.nodes);
    this.openedAtMs = Date.now() + OPENS_IN_MS;
    const planned = [await this.create('even'), await this.create('waves')];
    await this.reach(-EARLY_MS);
    const taps = this.tap(planned);
    const [rains] = await Promise.all([this.tapToTheEnd(planned, taps), this.killAll(planned[0]!.id)]);
    const reader = await EngineReader.open(this.system);
    return this.judge(rains, taps, journals, reader).finally(() => reader.close());
  }

  private async create(kind: PacedRain['kind']): Promise<Planned> {
    const { packets, openedAtMs, operator } = this;
    const totalAmount = `${packets}.00`;
    await operator.post('/v1/wallets/sponsor/deposits', { amount: `${2 * packets}.00` });
    const { body: pace, releases } = paceOf(kind, packets, openedAtMs, 1_000 * this.plan.seconds);
    const [opensAt, closesAt] = [0, HOUR_MS].map((ms) => new Date(openedAtMs + ms).toISOString());
    const terms = { sponsorId: 'sponsor', split: { kind: 'random' }, opensAt, closesAt };
    const body = { ...terms, name: `A rain: ${kind}`, totalAmount, packetCount: packets, parts: PARTS, pace };
    const { id } = await operator.post('/v1/activities', body);
    return { id, kind, parts: PARTS, packets, releases };
  }

  private tap(rains: readonly Planned[]): Taps {
    const { perSecond, seed } = this.plan;
    return new Taps(PROCESSES, {
      activityIds: rains.map(({ id }) => id),
      users: { name: `paced-${seed}`, count: Math.ceil(USERS_PER_PACKET * this.packets) },
      ports: this.system.apis.map(({ port }) => port),
      connections: Math.min(CONNECTIONS_MAX, perSecond),
      perSecond,
    });
  }

  /** A program may need the rest of the processor to start, so the taps do not wait for it. */
  private async tapToTheEnd(planned: readonly Planned[], taps: Taps): Promise<PacedRain[]> {
    const rains = await this.topUp(planned);
    const isOver = ({ id, topUp }: PacedRain) =>
      taps.answers.some(
        ({ activityId, reason, sentAtMs }) =>
          activityId === id && reason === 'sold-out' && sentAtMs >= topUp.answeredAtMs,
      );
    await this.reachShare(1);
    await waitFor(() => rains.every(isOver), { what: 'both rains to be sold out' });
    await taps.end();
    return rains;
  }

  private async topUp(rains: readonly Planned[]): Promise<PacedRain[]> {
    const count = Math.min(TOP_UP_MAX, Math.ceil(this.packets * TOP_UP_SHARE));
    const body = { amount: `${count}.00`, packetCount: count };
    await this.reachShare(AT.toppedUp);
    return Promise.all(
      rains.map(async (rain) => {
        const sentAtMs = Date.now();
        await this.operator.post(`/v1/activities/${rain.id}/top-ups`, body);
        return { ...rain, topUp: { count, sentAtMs, answeredAtMs: Date.now() } };
      }),
    );
  }

  /** A program that takes long to start does not delay the next blow. */
  private async killAll(activityId: string): Promise<void> {
    const { apis, workers } = this.system;
    await Promise.all([
      this.reachShare(AT.apiKilled).then(() => this.kill(this.chance.pick(apis))),
      this.reachShare(AT.workerKilled).then(() => this.kill(this.chance.pick(workers))),
      this.reachShare(AT.masterKilled).then(() => this.killMaster(activityId)),
    ]);
  }

  private async kill(service: Service): Promise<void> {
    const fromMs = Date.now();
    await service.kill();
    await service.start();
    this.outages.push({ what: service.name, fromMs, toMs: Date.now() });
  }

  private async killMaster(activityId: string): Promise<void> {
    const { cluster } = this.system;
    const part = this.chance.integer(0, PARTS - 1);
    const key = this.keys.at(this.keys.placeOfPart(activityId, part)).state;
    const master = await cluster.nodes.masterOf(key);
    const fromMs = Date.now();
    await master.kill();
    await cluster.nodes.promoted(key, master);
    this.outages.push({ what: `the master of part ${part}`, fromMs, toMs: Date.now() });
    await cluster.comeBack(master);
    await cluster.nodes.isWhole();
  }

  private reachShare(share: number): Promise<void> {
    return this.reach(1_000 * this.plan.seconds * share);
  }

  private reach(afterOpeningMs: number): Promise<void> {
    return pause(Math.max(0, this.openedAtMs + afterOpeningMs - Date.now()));
  }

  private async judge(
    rains: readonly PacedRain[],
    taps: Taps,
    journals: JournalFiles,
    reader: EngineReader,
  ): Promise<string[]> {
    await quiet(this.system, reader);
    const drawn = journals.read(this.keys);
    const faults: string[] = [];
    const judges: PaceJudge[] = [];
    const figures: string[] = [];
    for (const rain of rains) {
      const claims = await reader.claims(rain.id);
      const judge = new PaceJudge(rain, claims, drawn);
      const answers = taps.answers.filter(({ activityId }) => activityId === rain.id);
      const verdict = judge.judge(answers, this.outages);
      faults.push(
        ...verdict.faults,
        ...(await brokenBooks(rain, claims, answers, { system: this.system, reader })),
      );
      judges.push(judge);
      figures.push(verdict.figures);
    }
    const caughtUp = (ms: number) => Math.max(...judges.map((judge) => judge.caughtUpAtMs(ms)));
    const { packets, outages, plan } = this;
    linesOf({ plan, packets, taps, figures, outages, caughtUp }).forEach(plan.say);
    return [...faults, ...(await brokenInvariants(reader))];
  }
}
