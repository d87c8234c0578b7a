import { useEffect, useRef } from 'preact/hooks';
import type { CheckedDrawer } from '../kit/drawer';
import type { Language } from '../kit/language';
import { EXTRA_WORDS, type ExtraWords } from './extra-words';
import type { Player, Win } from './player';

/** What was found of a packet. */
export interface Said {
  readonly redPacketId: string;
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
  readonly said?: Said;
  readonly say: (said: Said) => void;
}

/** Lets winners check that their packet was published before it could be won. */
export function PacketCheck({ player, win, language, loadCheck, said, say }: CheckProps) {
  const { redPacketId } = win;
  const isChecking = saidOf(win, said)?.verdict === 'checking';
  const proof = async () => {
    const { checkPacket } = await loadCheck();
    return checkPacket(player.api, redPacketId, win.amount);
  };
  const check = async () => {
    say({ redPacketId, verdict: 'checking' });
    say({ redPacketId, ...(await proof().catch(() => ({ verdict: 'failed' }) as const)) });
  };
  return (
    <button class="quiet" aria-disabled={isChecking} onClick={() => void (isChecking || check())}>
      {EXTRA_WORDS[language].check}
    </button>
  );
}

/** What the check has found, beside the packet. It comes into view: the button for it is below the card. */
export function PacketVerdict({ win, said, language }: Pick<CheckProps, 'win' | 'said' | 'language'>) {
  const { checked, drawn } = EXTRA_WORDS[language];
  const text = useRef<HTMLParagraphElement>(null);
  const { verdict, drawer } = saidOf(win, said) ?? {};
  useEffect(() => {
    if (verdict) text.current?.scrollIntoView({ block: 'nearest' });
  }, [verdict, drawer]);
  return (
    <p ref={text} role="status" class="hint">
      {verdict && [checked[verdict], drawer && drawn[drawer]].join(language === 'zh' ? '' : ' ')}
    </p>
  );
}

const saidOf = ({ redPacketId }: Win, said?: Said) => (said?.redPacketId === redPacketId ? said : undefined);
