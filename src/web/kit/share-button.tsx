import { useState } from 'preact/hooks';
import { copy } from './copy';

interface ShareProps {
  readonly url: string;
  /** The text of the message, before the link. */
  readonly text?: string;
  readonly label: string;
  readonly words: { readonly copied: string; readonly copyThis: string };
  readonly class?: string;
}

/** Shares a link by the phone's share sheet, or else copies it, or else shows it. */
export function ShareButton({ url, text, label, words, class: look = 'quiet' }: ShareProps) {
  const [said, say] = useState<'copied' | 'copyThis'>();
  const share = async () => {
    if (await showSheet({ title: document.title, text, url })) return say(undefined);
    say((await copy(url)) ? 'copied' : 'copyThis');
  };
  return (
    <>
      <button type="button" class={look} onClick={() => void share()}>
        {label}
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

/** False where there is no sheet: a frame may open it only if the page around it allows that. */
async function showSheet(what: ShareData): Promise<boolean> {
  const { share } = navigator as Partial<Navigator>;
  if (!share) return false;
  try {
    await share.call(navigator, what);
    return true;
  } catch (error) {
    // Closing the sheet is not a failure.
    return (error as Error).name === 'AbortError';
  }
}
