import { useState } from 'preact/hooks';
import type { Schema } from '../../../../../libs/client';
import { useFreshness } from '../../ui/as-of';
import type { Asked } from '../../ui/asking';
import { words } from '../../words';
import { type Sign, SignList } from './sign';

interface SignsProps {
  /** The signs of what is asked by the page itself. */
  readonly asked: readonly Sign[];
  readonly overview: Asked<Schema<'OverviewDto'> | undefined>;
  readonly system: readonly Sign[];
}

/** Those in order are folded into one line, so that the money is in sight; a screen without navigation has room for all. */
export function Signs({ asked, overview, system }: SignsProps) {
  const freshness = useFreshness(overview);
  const [isUnfolded, setUnfolded] = useState(false);
  // Before that, what is in order may be the smaller part.
  const isAnswered = overview.valueAtMs !== undefined;
  const inOrder = [...asked, ...(overview.value ? system : [])].filter(({ state }) => state === 'good');
  return (
    <div class={isUnfolded ? 'all-signs unfolded' : 'all-signs'}>
      <SignList label={words.wall.signs} signs={asked} />
      {overview.value && (
        <SignList label={words.wall.work} signs={worstFirst(system)} class={`polled ${freshness?.age}`} />
      )}
      {isAnswered ? (
        inOrder.length > 0 && (
          <button class="fold" aria-expanded={isUnfolded} onClick={() => setUnfolded(!isUnfolded)}>
            {words.signs.inOrder(inOrder.length)}
          </button>
        )
      ) : (
        <p role="status">{words.common.loading}</p>
      )}
    </div>
  );
}

const WORST_FIRST: readonly Sign['state'][] = ['bad', 'asking', 'plain', 'good'];

const worstFirst = (signs: readonly Sign[]): readonly Sign[] =>
  [...signs].sort((a, b) => WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state));
