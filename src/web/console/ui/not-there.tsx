import { words } from '../words';
import type { Words } from '../words/en';
import { PartLink } from './part-link';

interface NotThereProps {
  /** That there is no such thing. */
  readonly sentence: string;
  /** Where everything of its kind is listed. */
  readonly part: keyof Words['navigation']['parts'];
  /** Where only a tab of that part lists them. */
  readonly tab?: keyof Words['payouts']['tabs'];
}

/** The page of a thing that does not exist. Nothing broke: the list may have what was meant. */
export function NotThere({ sentence, ...place }: NotThereProps) {
  return (
    <>
      <h1>{sentence.replace(/[.。]$/, '')}</h1>
      <p role="alert" class="about">
        {words.common.oldLink}
      </p>
      <PartLink {...place} />
    </>
  );
}
