import { useState } from 'preact/hooks';
import { type Language, tagOf } from '../../kit/language';
import { words } from '../words';
import { en } from '../words/en';
import { speakIn } from '../words/language';

/** @param onSwitch redraws the page */
export function LanguageButton({ onSwitch }: { readonly onSwitch: () => void }) {
  const [isMissing, setMissing] = useState(false);
  const other: Language = words === en ? 'zh' : 'en';
  const change = async () => {
    try {
      await speakIn(other);
      setMissing(false);
      onSwitch();
    } catch {
      setMissing(true);
    }
  };
  return (
    <>
      <button lang={tagOf(other)} onClick={() => void change()}>
        {words.otherLanguage}
      </button>
      {isMissing && <small role="alert">{words.languageMissing}</small>}
    </>
  );
}
