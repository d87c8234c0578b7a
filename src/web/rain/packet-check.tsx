import { useState } from 'preact/hooks';
import type { Player, Win } from './player';
import type { Words } from './words';

type Said = keyof Words['checked'];

interface CheckProps {
  readonly player: Player;
  readonly win: Win;
  readonly words: Words;
}

/** Lets winners check that their packet was published before it could be won. */
export function PacketCheck({ player, win, words }: CheckProps) {
  const [said, say] = useState<Said>();
  const check = async () => {
    say('checking');
    say(await player.check(win).catch(() => 'failed' as const));
  };
  return (
    <>
      <p role="status" class="hint">
        {said && words.checked[said]}
      </p>
      {said !== 'before' && said !== 'added' && (
        <button class="quiet" aria-disabled={said === 'checking'} onClick={() => void check()}>
          {words.check}
        </button>
      )}
    </>
  );
}
