import type { Schema } from '../../../../../libs/client';
import { spanText } from '../../ui/facts';
import { words } from '../../words';
import { troubleOf } from '../payouts/channels/channel-state';
import { bad, good, type Sign, sign } from './sign';

/** Money that waits longer than this is delayed. */
const UNPAID_SECONDS_MAX = 5;
const UNDECIDED_SECONDS_MAX = 10;
/** A worker signs twice a second. */
const WORKER_UNSEEN_SECONDS_MAX = 1.5;
const MEMORY_SHARE_MAX = 0.8;
/** Above this HongbaoSettlementQueueGrows watches whether there are more and more. */
const JOBS_WAITING_MAX = 100;
/** As HongbaoClaimLogStalled has it. */
const LOG_BEHIND_SECONDS_MAX = 60;

type Overview = Schema<'OverviewDto'>;
type Standing = NonNullable<Overview['outbound']>[number];
type Alert = Overview['alerts']['firing'][number];

/** The claims in the panels below the signs, by the state of their money. */
export interface ShownClaims {
  readonly pending: number;
  readonly dead: number;
}

/** The signs of everything but API and engines, which are asked themselves. */
export const systemSigns = (
  overview: Overview,
  shown: ShownClaims,
  runbook: (alert: string) => string,
): readonly Sign[] => withAlerts(signsOf(overview, shown), overview.alerts, runbook);

const signsOf = (overview: Overview, shown: ShownClaims): readonly Sign[] => [
  ...standingSigns(overview.system),
  queueSign(overview.queue),
  ...journalSigns(overview.journal),
  ...moneySigns(overview.money, shown),
  logSign(overview.claimLog),
  ...channelSigns(overview.outbound),
  ...refusalSigns(overview.refusals),
];

/** The alerts that say once more what a red sign says. Their instructions are those of the sign. */
const ALERTS: Readonly<Record<string, string>> = {
  letters: 'HongbaoDeadLettersOpen',
  undelivered: 'HongbaoWebhookDeadLetters',
  money: 'HongbaoPaymentsLate',
  journal: 'HongbaoJournalOld',
  memory: 'HongbaoRedisFull',
  clocks: 'HongbaoClockSkew',
  circuit: 'HongbaoPayoutChannelStalled',
  findings: 'HongbaoPayoutFindingsOpen',
};

const alertOf = ({ key }: Sign): string | undefined => ALERTS[key.split(' ')[0]!];

/** The first trouble, as the text has it. */
const channelKey = ({ channelId, paused, circuitOpen }: Standing): string =>
  `${paused ? 'paused' : circuitOpen ? 'circuit' : 'findings'} ${channelId}`;

/** A red sign leads to what to do about it, and no other sign repeats what it says. */
function withAlerts(
  signs: readonly Sign[],
  { firing, ofAllProcesses }: Overview['alerts'],
  runbook: (alert: string) => string,
): readonly Sign[] {
  const red = signs.filter(({ state }) => state === 'bad');
  const isSaid = ({ alert, labels: { channel } }: Alert) =>
    red.some((one) => alertOf(one) === alert && [undefined, channel].includes(one.key.split(' ')[1]));
  const helped = signs.map((one) => {
    const alert = alertOf(one);
    return one.state === 'bad' && alert ? { ...one, help: runbook(alert) } : one;
  });
  const others = firing.filter((alert) => !isSaid(alert));
  const none = firing.length === 0 ? [good('alerts', words.signs.noAlert)] : [];
  const unknown = [bad('alerts', words.signs.unknownAlerts)];
  return [
    ...helped,
    ...others.map((alert) => alertSign(alert, runbook)),
    ...(ofAllProcesses ? none : unknown),
  ];
}

function standingSigns(system: Overview['system']): Sign[] {
  const said = words.wall;
  if (!system) return [bad('worker', said.unknownSystem)];
  const { takesWrites, memoryShare } = system;
  return [
    workerSign(system.workerSeenSecondsAgo),
    ...(takesWrites ? [] : [bad('writes', said.noWrites)]),
    memoryShare === 0
      ? good('memory', words.signs.noLimit)
      : sign('memory', memoryShare > MEMORY_SHARE_MAX, said.memory(Math.round(memoryShare * 100))),
    clockSign(system),
  ];
}

function workerSign(seconds: number | null): Sign {
  const said = words.wall;
  if (seconds === null) return bad('worker', said.neverWorker);
  return seconds < WORKER_UNSEEN_SECONDS_MAX
    ? good('worker', said.worker)
    : bad('worker', said.noWorker(spanText(seconds)));
}

function clockSign({ clocksAgree, clockLeadSeconds }: NonNullable<Overview['system']>): Sign {
  const said = words.wall;
  if (clockLeadSeconds === null) return { key: 'clocks', state: 'asking', text: words.signs.clocksUnknown };
  return clocksAgree
    ? good('clocks', words.signs.clocksAgree)
    : bad('clocks', said.clocks(clockLeadSeconds.toFixed(1)));
}

function queueSign(queue: Overview['queue']): Sign {
  if (!queue) return bad('queue', words.signs.unknownQueue);
  const { waiting } = queue;
  return waiting === 0
    ? good('queue', words.signs.queueEmpty)
    : sign('queue', waiting > JOBS_WAITING_MAX, words.signs.queued(waiting));
}

function journalSigns(journal: Overview['journal']): Sign[] {
  const said = words.wall;
  if (!journal) return [bad('journal', said.unknownReservations)];
  const { entries, oldestSeconds, quarantined } = journal;
  const undecided = said.undecided(entries, spanText(oldestSeconds));
  return [
    sign('journal', oldestSeconds >= UNDECIDED_SECONDS_MAX, entries === 0 ? said.decided : undecided),
    ...(quarantined > 0 ? [bad('quarantine', said.unreadable(quarantined))] : []),
  ];
}

function moneySigns(money: Overview['money'], shown: ShownClaims): Sign[] {
  const said = words.wall;
  if (!money) return [bad('money', said.unknownMoney)];
  const { oldestUnpaidSeconds, deadLetters, undelivered, approvals } = money;
  // The panels are polled apart from the signs, and may know of more.
  const unpaid = Math.max(money.unpaid, shown.pending);
  const isAnyDead = deadLetters + shown.dead > 0;
  const waiting = said.unpaid(unpaid, spanText(oldestUnpaidSeconds));
  const paid = isAnyDead ? said.othersPaid : said.allPaid;
  return [
    sign('money', oldestUnpaidSeconds >= UNPAID_SECONDS_MAX, unpaid === 0 ? paid : waiting),
    ...(deadLetters > 0 ? [bad('letters', said.deadLetters(deadLetters))] : []),
    ...(isAnyDead ? [] : [good('letters', said.noDeadLetters)]),
    ...(undelivered > 0 ? [bad('undelivered', said.undelivered(undelivered))] : []),
    ...(approvals > 0
      ? [{ key: 'approvals', state: 'asking' as const, text: said.approvals(approvals) }]
      : []),
  ];
}

function logSign(log: Overview['claimLog']): Sign {
  if (!log) return bad('log', words.signs.unknownLog);
  return log.behindSeconds > LOG_BEHIND_SECONDS_MAX
    ? bad('log', words.signs.logBehind(spanText(log.behindSeconds)))
    : good('log', words.signs.logCurrent);
}

function channelSigns(outbound: Overview['outbound']): Sign[] {
  if (!outbound) return [bad('channels', words.signs.unknownChannels)];
  if (outbound.length === 0) return [good('channels', words.signs.noChannels)];
  const troubled = outbound.flatMap((standing) => {
    const trouble = troubleOf(standing);
    return trouble ? [bad(channelKey(standing), words.signs.channel(standing.name, trouble))] : [];
  });
  return troubled.length > 0 ? troubled : [good('channels', words.signs.channelsSound)];
}

/** A tap that comes too late or too early is usual. One that is answered 503 is not. */
function refusalSigns({ lastMinute, ofAllProcesses }: Overview['refusals']): Sign[] {
  const whose = ofAllProcesses ? '' : words.signs.ofOneProcess;
  const unavailable = lastMinute.find(({ reason }) => reason === 'unavailable')?.count ?? 0;
  const others = lastMinute.filter(({ reason }) => reason !== 'unavailable');
  const parts = others.map(({ reason, count }) => `${words.signs.refusals[reason]} ${count}`);
  if (lastMinute.length === 0) return [good('refused', words.signs.nothingRefused + whose)];
  const refused = words.signs.refused(parts.join(' · ')) + whose;
  return [
    ...(unavailable > 0 ? [bad('unavailable', words.signs.unavailable(unavailable) + whose)] : []),
    ...(parts.length > 0 ? [{ key: 'refused', state: 'plain' as const, text: refused }] : []),
  ];
}

function alertSign({ alert, labels }: Alert, runbook: (alert: string) => string): Sign {
  const reasons: Readonly<Record<string, string>> = words.deadLetters.reasons;
  const about = Object.values(labels);
  const named = about.map((label) => reasons[label] ?? label).join(', ');
  const text = words.signs.alerts[alert] + (named && words.signs.about(named));
  return bad(`${alert} ${about.join(', ')}`, text, runbook(alert));
}
