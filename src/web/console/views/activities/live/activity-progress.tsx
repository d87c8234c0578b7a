import type { Schema } from '../../../../../../libs/client';
import { Facts, spanText } from '../../../ui/facts';
import { words } from '../../../words';
import { isOver, useTapFigures } from './live';
import { TapCurve } from './tap-curve';

interface ActivityProgressProps {
  readonly activity: Schema<'ActivityDto'>;
  readonly proof?: Schema<'ReconciliationDto'>;
  readonly progress?: Schema<'ProgressDto'>;
}

/** The progress of an activity: the counts of its proof, and the speed of the taps. */
export function ActivityProgress({ activity, proof, progress }: ActivityProgressProps) {
  const counted = useTapFigures(progress);
  const said = words.progress;
  const isRunning = !isOver(activity);
  // Taps are kept for a day: without any, these wins are older.
  const figures = counted && (counted.all > 0 || !proof?.packets.claimed) ? counted : undefined;
  return (
    <div class="panel figures">
      <h2>{words.common.packets}</h2>
      <Facts
        label={said.label}
        facts={{
          [said.confirmed]: proof && said.ofAll(proof.packets.claimed, proof.packets.total),
          [said.credited]: proof?.credits.kept.claims,
          ...(activity.payout && {
            [said.sent]: proof?.credits.sent.claims,
            [said.paid]: proof?.credits.paid.claims,
          }),
          [said.pending]: proof?.claims.pending,
          [said.oldest]:
            typeof proof?.oldestPendingSeconds === 'number'
              ? spanText(proof.oldestPendingSeconds)
              : undefined,
          [said.dead]: proof?.claims.dead,
          [said.void]: proof?.claims.void,
          [said.live]: proof && liveText(proof.redis, isRunning),
          [said.left]: isRunning ? proof?.redis.packetsLeft : undefined,
        }}
      />
      {(figures || isRunning) && (
        <>
          <h2>{said.taps}</h2>
          <Facts
            label={said.taps}
            facts={{
              [said.taps]: figures?.all,
              [said.tapsPerSecond]: isRunning ? figures?.perSecond : undefined,
              [said.winsPerSecond]: isRunning ? figures?.winsPerSecond : undefined,
              [said.soldOut]: figures?.soldOut,
              [said.answeredIn]:
                figures?.answeredInMs === undefined ? undefined : `${figures.answeredInMs} ms`,
              [said.waiting]: isRunning ? progress?.waiting : undefined,
            }}
          />
          {figures && <small>{said.note}</small>}
          {figures?.seen.some(({ perSecond }) => perSecond) && <TapCurve seen={figures.seen} />}
        </>
      )}
    </div>
  );
}

/** Where the packets are given out, if it is not as it should be. */
function liveText(
  { status, agrees }: Schema<'ReconciliationDto'>['redis'],
  isRunning: boolean,
): string | undefined {
  if (agrees && (!isRunning || status === 'open')) return undefined;
  const text = words.progress.redis[status];
  return agrees ? text : words.progress.disagrees(text);
}
