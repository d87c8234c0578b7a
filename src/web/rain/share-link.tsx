import type { Language } from '../kit/language';
import { keyFragment } from '../kit/rain-link';
import { ShareButton } from '../kit/share-button';
import { EXTRA_WORDS } from './extra-words';
import type { Activity } from './player';

interface ShareProps {
  readonly activity?: Activity;
  readonly shareCode?: string;
  readonly language: Language;
}

export function ShareLink({ activity, shareCode, language }: ShareProps) {
  const words = EXTRA_WORDS[language];
  return <ShareButton url={linkTo(activity, shareCode)} label={words.share} words={words} />;
}

const linkTo = (activity: Activity | undefined, shareCode: string | undefined): string =>
  location.origin +
  location.pathname +
  keyFragment({ kind: activity?.audience?.kind ?? 'public', shareCode });
