import type { Language } from '../kit/language';
import { ShareButton } from '../kit/share-button';
import { EXTRA_WORDS } from './extra-words';

export function ShareLink({ url, language }: { readonly url: string; readonly language: Language }) {
  const words = EXTRA_WORDS[language];
  return <ShareButton url={url} label={words.share} words={words} />;
}
