/** False where a browser forbids the clipboard: to a frame, or to a page without TLS. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Selects a text on the page, and copies it where the browser lets it: that needs no permission, and no TLS. */
export function copySelected(id: string): boolean {
  getSelection()?.selectAllChildren(document.getElementById(id)!);
  return document.execCommand('copy');
}
