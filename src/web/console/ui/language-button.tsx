import { type Language, tagOf } from '../../kit/language';
import { words, WORDS } from '../words';
import { speakIn } from '../words/language';

/** @param onSwitch redraws the page */
export function LanguageButton({ onSwitch }: { readonly onSwitch: () => void }) {
  const other: Language = words === WORDS.zh ? 'en' : 'zh';
  const change = () => {
    speakIn(other);
    onSwitch();
  };
  return (
    <button lang={tagOf(other)} onClick={change}>
      {words.otherLanguage}
    </button>
  );
}
