import { useState } from 'preact/hooks';
import type { Words } from './words';

/** Shares the link of the rain through the phone's share sheet, or the clipboard if there is none. */
export function ShareButton({ words }: { readonly words: Words }) {
  const [isCopied, setCopied] = useState(false);
  const share = async () => {
    const url = location.origin + location.pathname;
    const { share: sheet } = navigator as Partial<Navigator>;
    if (sheet) return sheet.call(navigator, { title: document.title, url });
    await navigator.clipboard.writeText(url);
    setCopied(true);
  };
  // A player who closes the sheet has not failed.
  return (
    <button class="quiet" onClick={() => void share().catch(() => undefined)}>
      {isCopied ? words.copied : words.share}
    </button>
  );
}
