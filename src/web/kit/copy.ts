/** False where a browser forbids the clipboard: to a frame, or to a page without TLS. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Copies a text that this element of the page shows. False where it is only selected, for a person to copy. */
export const copyShown = async (text: string, id: string): Promise<boolean> =>
  (await copy(text)) || copySelected(id);

/** It needs no permission, and pages without TLS have nothing else. */
function copySelected(id: string): boolean {
  getSelection()?.selectAllChildren(document.getElementById(id)!);
  return document.execCommand('copy');
}
