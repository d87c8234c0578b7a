import type { Fetch } from '../../../../libs/client';

/** Browsers do not have a type for NDJSON, and some have none for CSV. The file is not read before it is sent. */
export const typed = (file: File): Blob =>
  new Blob([file], { type: /\.(ndjson|jsonl)$/i.test(file.name) ? 'application/x-ndjson' : 'text/csv' });

/** False if the file was changed, moved or deleted since it was chosen: browsers do not read changed content. */
export async function isAsChosen(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/**
 * Sends a file from where it is, and tells how much of it is sent, which `fetch` does not.
 * @param onSent receives the bytes that are sent
 */
export const sending =
  (file: Blob, onSent: (bytes: number) => void): Fetch =>
  ({ method, url, headers, signal }) =>
    new Promise((resolve, reject) => {
      const carrier = new XMLHttpRequest();
      carrier.open(method, url);
      headers.forEach((value, name) => carrier.setRequestHeader(name, value));
      carrier.upload.onprogress = ({ loaded }) => onSent(loaded);
      carrier.onload = () => resolve(answerOf(carrier));
      // `fetch` throws this too when the network fails.
      carrier.onerror = () => reject(new TypeError());
      carrier.onabort = () => reject(new DOMException(undefined, 'AbortError'));
      signal.addEventListener('abort', () => carrier.abort());
      carrier.send(file);
    });

function answerOf(carrier: XMLHttpRequest): Response {
  const lines = carrier.getAllResponseHeaders().trim().split('\r\n');
  const headers = lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string]);
  return new Response(carrier.response as string, { status: carrier.status, headers });
}
