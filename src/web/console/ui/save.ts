/** A busy browser may open a file's URL well after the click. */
const KEPT_MS = 60_000;

/** Saves a file that the page has downloaded whole: a link cannot send a token. */
export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}
