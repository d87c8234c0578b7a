import { useState } from 'preact/hooks';
import type { CheckedDrawer } from '../kit/drawer';
import type { Language } from '../kit/language';
import { EXTRA_WORDS, type ExtraWords } from './extra-words';
import type { Player, Win } from './player';

interface Said {
  readonly verdict: keyof ExtraWords['checked'];
  readonly drawer?: CheckedDrawer;
}

/** Few people check, so the check is loaded when it is wanted. */
export type LoadCheck = () => Promise<typeof import('../kit/check-proof')>;

interface CheckProps {
  readonly player: Player;
  readonly win: Win;
  readonly language: Language;
  readonly loadCheck: LoadCheck;
}

/** Lets winners check that their packet was published before it could be won. */
export function PacketCheck({ player, win, language, loadCheck }: CheckProps) {
  const words = EXTRA_WORDS[language];
  const [said, say] = useState<Said>();
  const proof = async (): Promise<Said> => {
    const { checkPacket } = await loadCheck();
    return checkPacket(player.api, win.redPacketId, win.amount);
  };
  const check = async () => {
    say({ verdict: 'checking' });
    say(await proof().catch(() => ({ verdict: 'failed' }) as const));
  };
  const { verdict, drawer } = said ?? {};
  return (
    <>
      <p role="status" class="hint">
        {verdict &&
          [words.checked[verdict], drawer && words.drawn[drawer]].join(language === 'zh' ? '' : ' ')}
      </p>
      {(drawer ?? 'claimed') === 'claimed' && (
        <button class="quiet" aria-disabled={verdict === 'checking'} onClick={() => void check()}>
          {words.check}
        </button>
      )}
    </>
  );
}
