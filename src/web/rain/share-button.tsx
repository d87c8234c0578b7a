import { useState } from 'preact/hooks';
import { copy } from './copy';
import type { Activity } from './player';
import type { Words } from './words';

interface ShareProps {
  readonly activity?: Activity;
  readonly shareCode?: string;
  readonly words: Words;
}

/** Shares the link of the rain: by the phone's share sheet, else by the clipboard, else for the eye. */
export function ShareButton({ activity, shareCode, words }: ShareProps) {
  const [said, say] = useState<'copied' | 'copyThis'>();
  const url = location.origin + location.pathname + fragmentOf(activity, shareCode);
  const share = async () => {
    if (await showSheet(url)) return say(undefined);
    say((await copy(url)) ? 'copied' : 'copyThis');
  };
  return (
    <>
      <button class="quiet" onClick={() => void share()}>
        {words.share}
      </button>
      <p role="status" class="hint">
        {said && words[said]}
      </p>
      {said === 'copyThis' && (
        <input
          class="link"
          readOnly
          aria-label={words.copyThis}
          value={url}
          onFocus={(event) => event.currentTarget.select()}
        />
      )}
    </>
  );
}

/** What the page of another user needs to know: the code, or that it has to ask for a password. */
function fragmentOf(activity: Activity | undefined, shareCode: string | undefined): string {
  if (shareCode !== undefined) return `#c=${shareCode}`;
  return activity?.audience?.kind === 'password' ? '#password' : '';
}

/** False where there is no sheet: a frame may open it only if the page around it allows that. */
async function showSheet(url: string): Promise<boolean> {
  const { share } = navigator as Partial<Navigator>;
  if (!share) return false;
  try {
    await share.call(navigator, { title: document.title, url });
    return true;
  } catch (error) {
    // A player who closes the sheet has not failed.
    return (error as Error).name === 'AbortError';
  }
}
