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
  const isAhead = activity.phase === 'scheduled';
  // Taps are kept for a day: without any, these wins are older.
  const figures = counted && (counted.all > 0 || !proof?.packets.claimed) ? counted : undefined;
  return (
    <div class="panel figures">
      <h2>{words.common.packets}</h2>
      <Facts
        label={said.label}
        facts={{
          [said.confirmed]: proof && said.ofAll(proof.packets.claimed, proof.packets.total),
          [said.credited]: shown(proof?.credits.kept.claims),
          ...(activity.payout && {
            [said.sent]: shown(proof?.credits.sent.claims),
            [said.paid]: shown(proof?.credits.paid.claims),
          }),
          [said.pending]: shown(proof?.claims.pending),
          [said.oldest]:
            typeof proof?.oldestPendingSeconds === 'number'
              ? spanText(proof.oldestPendingSeconds)
              : undefined,
          [said.dead]: shown(proof?.claims.dead),
          [said.void]: shown(proof?.claims.void),
          [said.live]: proof && liveText(proof.redis, isRunning),
          [said.left]: isRunning ? proof?.redis.packetsLeft : undefined,
        }}
      />
      {(isAhead ? Boolean(figures?.all) : figures || isRunning) && (
        <>
          <h2>{said.taps}</h2>
          <Facts
            label={said.taps}
            facts={{
              [said.taps]: shown(figures?.all),
              [said.tapsPerSecond]: isRunning ? shown(figures?.perSecond) : undefined,
              [said.winsPerSecond]: isRunning ? shown(figures?.winsPerSecond) : undefined,
              [said.soldOut]: shown(figures?.soldOut),
              [said.answeredIn]:
                figures?.answeredInMs === undefined ? undefined : `${figures.answeredInMs} ms`,
              [said.waiting]: isRunning ? shown(progress?.waiting) : undefined,
            }}
          />
          {figures && <small>{said.note}</small>}
          {figures?.seen.some(({ perSecond }) => perSecond) && <TapCurve seen={figures.seen} />}
        </>
      )}
    </div>
  );
}

/** Zero calls nobody. */
const shown = (count: number | null | undefined) => (count === 0 ? <span class="zero">0</span> : count);

/** Where the packets are given out, if it is not as it should be. */
function liveText(
  { status, agrees }: Schema<'ReconciliationDto'>['redis'],
  isRunning: boolean,
): string | undefined {
  if (agrees && (!isRunning || status === 'open')) return undefined;
  const text = words.progress.redis[status];
  return agrees ? text : words.progress.disagrees(text);
}
