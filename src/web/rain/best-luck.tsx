import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../../libs/client';
import type { Language } from '../kit/language';
import { moneyText } from '../kit/money';
import { EXTRA_WORDS } from './extra-words';
import type { Activity, Player } from './player';

/** The list is kept a moment after the end, so a page that comes too early asks again. */
const TRIES = 4;
const AGAIN_MS = 3_000;

type Luck = Schema<'LuckDto'>;

interface BestLuckProps {
  readonly player: Player;
  readonly activity: Activity;
  readonly language: Language;
}

/** The largest packets of a rain that is over, where its sponsor shows them. */
export function BestLuck({ player, activity, language }: BestLuckProps) {
  const words = EXTRA_WORDS[language];
  const lucks = useLucks(player, activity);
  if (lucks.length === 0) return null;
  return (
    <section class="luck" aria-label={words.bestLuck}>
      <h2>{words.bestLuck}</h2>
      <ol tabIndex={0}>
        {lucks.map(({ user, amount, isMine }, i) => (
          <li key={i} class={isMine ? 'mine' : undefined}>
            <span>{isMine ? words.you : user}</span>
            <span>{moneyText(amount, activity.currency, language)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function useLucks(player: Player, { phase, showsBestLuck }: Activity): readonly Luck[] {
  const [lucks, setLucks] = useState<readonly Luck[]>([]);
  const isShown = showsBestLuck && (phase === 'closed' || phase === 'settled');
  useEffect(() => {
    if (!isShown) return;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async (tries: number) => {
      const items = await player.bestLuck().catch(() => []);
      setLucks(items);
      if (items.length === 0 && tries > 1) timer = setTimeout(() => void ask(tries - 1), AGAIN_MS);
    };
    void ask(TRIES);
    return () => clearTimeout(timer);
  }, [player, isShown]);
  return lucks;
}
