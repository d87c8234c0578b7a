import { useState } from 'preact/hooks';
import { type Language, tagOf } from '../../kit/language';
import { SIGN_IN_WORDS } from '../words/sign-in';
import { Missing } from './missing';

interface LanguageButtonProps {
  readonly language: Language;
  /** Rejects if the texts of the other language did not load. */
  readonly onSwitch: (other: Language) => Promise<void>;
}

export function LanguageButton({ language, onSwitch }: LanguageButtonProps) {
  const [isMissing, setMissing] = useState(false);
  const other: Language = language === 'en' ? 'zh' : 'en';
  const change = () =>
    onSwitch(other).then(
      () => setMissing(false),
      () => setMissing(true),
    );
  return (
    <>
      <button lang={tagOf(other)} onClick={() => void change()}>
        {SIGN_IN_WORDS[language].otherLanguage}
      </button>
      {isMissing && <Missing language={language} />}
    </>
  );
}
