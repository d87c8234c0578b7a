import type { Schema } from '../../../../../../libs/client';
import { Facts, spanText } from '../../../ui/facts';
import { words } from '../../../words';
import { useTapFigures } from './live';
import { TapCurve } from './tap-curve';

interface ActivityProgressProps {
  readonly proof?: Schema<'ReconciliationDto'>;
  readonly progress?: Schema<'ProgressDto'>;
}

/** The progress of an activity: the money, the speed of the taps, and the counts of Redis. */
export function ActivityProgress({ proof, progress }: ActivityProgressProps) {
  const figures = useTapFigures(progress);
  const said = words.progress;
  return (
    <div class="panel">
      <Facts
        label={said.taps}
        facts={{
          [said.taps]: figures?.all,
          [said.tapsPerSecond]: figures?.perSecond,
          [said.wins]: figures?.won,
          [said.winsPerSecond]: figures?.winsPerSecond,
          [said.soldOut]: figures?.soldOut,
          [said.answeredIn]: figures?.answeredInMs === undefined ? undefined : `${figures.answeredInMs} ms`,
          [said.waiting]: progress?.waiting ?? undefined,
        }}
      />
      {figures && <small>{said.note}</small>}
      {figures?.seen.some(({ perSecond }) => perSecond) && <TapCurve seen={figures.seen} />}
      <Facts
        label={said.label}
        facts={{
          [said.confirmed]: proof && said.ofAll(proof.packets.claimed, proof.packets.total),
          [said.credited]: proof?.claims.credited,
          [said.pending]: proof?.claims.pending,
          [said.oldest]: progress && ageText(progress.oldestUnpaidSeconds),
          [said.dead]: proof?.claims.dead,
          [said.void]: proof?.claims.void,
          Redis: proof && redisText(proof.redis),
          [said.left]: progress?.packetsLeft ?? undefined,
        }}
      />
    </div>
  );
}

const ageText = (seconds: number | null): string => (seconds === null ? words.spans.none : spanText(seconds));

function redisText({ status, agrees }: Schema<'ReconciliationDto'>['redis']): string {
  const text = words.progress.redis[status];
  return agrees ? text : words.progress.disagrees(text);
}
