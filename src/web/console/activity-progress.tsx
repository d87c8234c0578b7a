import type { Schema } from '../../../libs/client';
import { Facts, spanText } from './facts';
import { useTapFigures } from './live';

interface ActivityProgressProps {
  readonly proof?: Schema<'ReconciliationDto'>;
  readonly progress?: Schema<'ProgressDto'>;
}

/** The progress of an activity: the money, the speed of the taps, and the counts of Redis. */
export function ActivityProgress({ proof, progress }: ActivityProgressProps) {
  const figures = useTapFigures(progress);
  return (
    <>
      <Facts
        label="Taps"
        facts={{
          Taps: figures?.all,
          'Taps per second': figures?.perSecond,
          Wins: figures?.won,
          'Wins per second': figures?.winsPerSecond,
          'Sold-out answers': figures?.soldOut,
          'Answered in': figures?.answeredInMs === undefined ? undefined : `${figures.answeredInMs} ms`,
          'In the waiting list': progress?.waiting ?? undefined,
        }}
      />
      {figures && <small>Taps are counted once a second. A packet from the waiting list is no tap.</small>}
      <Facts
        label="Progress"
        facts={{
          Confirmed: proof && `${proof.packets.claimed} of ${proof.packets.total}`,
          Credited: proof?.claims.credited,
          'On their way': proof?.claims.pending,
          'Oldest unpaid': progress && ageText(progress.oldestUnpaidSeconds),
          'Dead letters': proof?.claims.dead,
          Void: proof?.claims.void,
          Redis: proof && `${proof.redis.status}${proof.redis.agrees ? '' : ', does not agree yet'}`,
          'Packets left in Redis': progress?.packetsLeft ?? undefined,
        }}
      />
    </>
  );
}

const ageText = (seconds: number | null): string => (seconds === null ? 'none' : spanText(seconds));
