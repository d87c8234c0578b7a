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

export function Signs({ asked, overview, system }: SignsProps) {
  const freshness = useFreshness(overview);
  return (
    <div class="all-signs">
      <SignList label={words.wall.signs} signs={asked} />
      {overview.value && (
        <SignList label={words.wall.work} signs={redFirst(system)} class={`polled ${freshness?.age}`} />
      )}
    </div>
  );
}

const redFirst = (signs: readonly Sign[]): readonly Sign[] => [
  ...signs.filter(({ state }) => state === 'bad'),
  ...signs.filter(({ state }) => state !== 'bad'),
];
