/** The part of Trusted Types that registers a script: the policy of the page demands it. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): typeof rules;
}

/** Next to the pages of all rains, so that its scope is these pages and nothing else. */
const WORKER = 'worker.js';

/** Lets the page reload without a network. If a browser refuses that, the page needs a network. */
export async function keepPage(): Promise<void> {
  const { serviceWorker } = navigator as Partial<Navigator>;
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('hongbao.worker', { createScriptURL: (url) => url });
  const url = policy ? policy.createScriptURL(WORKER) : WORKER;
  await serviceWorker?.register(url).catch(() => undefined);
}
