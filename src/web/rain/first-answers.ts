declare global {
  /** Answers to the requests of early.ts, by token and URL. */
  var firstAnswers: Map<string, Promise<Response>> | undefined;
}

export const questionKey = (authorization: string, url: string): string => `${authorization} ${url}`;

/** Sends a request, unless its answer is already on its way: each such answer is used once. */
export function fetchOnce(request: Request): Promise<Response> {
  const key = questionKey(request.headers.get('authorization') ?? '', request.url);
  const answer = request.method === 'GET' ? globalThis.firstAnswers?.get(key) : undefined;
  globalThis.firstAnswers?.delete(key);
  return answer ?? fetch(request);
}
