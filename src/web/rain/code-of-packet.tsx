import { useState } from 'preact/hooks';
import { copyShown } from '../kit/copy';
import type { Language } from '../kit/language';
import { EXTRA_WORDS, type ExtraWords } from './extra-words';
import type { Win, WonCode } from './player';

interface CodeProps {
  readonly win: Win;
  /** Missing until the packet is in the wallet. */
  readonly code?: WonCode;
  readonly language: Language;
}

const SHOWN = 'code';

/** The code of a packet, shown and read aloud as soon as it is there. */
export function CodeOfPacket({ win, code, language }: CodeProps) {
  const { codes } = EXTRA_WORDS[language];
  const shown = code?.shown;
  return (
    <div role="status" class="code">
      <p class="settlement">{shown ? shown.poolName : sentenceOf(win, code, codes)}</p>
      {shown && (
        <>
          <code id={SHOWN}>{shown.code}</code>
          <p class="hint">{codes.keep}</p>
        </>
      )}
    </div>
  );
}

function sentenceOf({ settlement }: Win, code: WonCode | undefined, codes: ExtraWords['codes']): string {
  if (code?.isGone) return codes.gone;
  return (code?.hurdle ? codes.hurdle[code.hurdle] : codes.settlement[settlement]) ?? codes.coming;
}

/** Copies the code; where the browser does not let it, the code is selected for the player to copy. */
export function CopyCode({ code, language }: { readonly code: string; readonly language: Language }) {
  const { codes } = EXTRA_WORDS[language];
  const [said, say] = useState<'copied' | 'copyByHand'>();
  const copyIt = async () => say((await copyShown(code, SHOWN)) ? 'copied' : 'copyByHand');
  return (
    <>
      <button class="deed" onClick={() => void copyIt()}>
        {codes.copy}
      </button>
      <p role="status" class="hint">
        {said && codes[said]}
      </p>
    </>
  );
}
