import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { AddressRefused, lookupPublic } from '../../../libs/public-address';
import { AppConfig } from '../../platform/config';
import { signatureHeaders } from './signature';
import type { Webhook, WebhookMessage } from './webhook';
import { urlFault } from './webhook-url';

/** `gone` asks that no further attempt is made. */
export type SendResult =
  { readonly kind: 'delivered' } | { readonly kind: 'failed' | 'gone'; readonly error: string };

const GONE = 410;

/** Only the status of an answer counts. A short body is read, to use the connection again. */
const ANSWER_BYTES_MAX = 4 * 1024;

/** Most servers keep an idle connection for longer than this. */
const IDLE_MS = 4_000;

/**
 * Sends one signed POST. Redirects would lead to addresses that the operator has not approved.
 * Bodies of answers are not kept: they could be those of hosts that only this server reaches.
 */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly httpAgent: http.Agent;
  private readonly httpsAgent: https.Agent;

  constructor(private readonly config: AppConfig) {
    const lookup = config.WEBHOOK_PRIVATE_ADDRESSES ? undefined : lookupPublic;
    const options = { keepAlive: true, timeout: IDLE_MS, lookup };
    this.httpAgent = new http.Agent(options);
    this.httpsAgent = new https.Agent(options);
  }

  onApplicationShutdown(): void {
    this.httpAgent.destroy();
    this.httpsAgent.destroy();
  }

  async send(webhook: Webhook, { id, body }: WebhookMessage, timestampSeconds: number): Promise<SendResult> {
    const signal = AbortSignal.timeout(this.config.WEBHOOK_TIMEOUT_MS);
    try {
      const status = await this.post(webhook.url, body, signal, {
        'content-type': 'application/json',
        'user-agent': 'hongbao-webhooks',
        ...signatureHeaders(webhook.secret, { id, timestampSeconds, body }),
      });
      if (status >= 200 && status < 300) return { kind: 'delivered' };
      return { kind: status === GONE ? 'gone' : 'failed', error: `answered ${status}` };
    } catch (error) {
      return { kind: 'failed', error: signal.aborted ? 'did not answer in time' : wordsFor(error) };
    }
  }

  /** Returns the status. */
  private async post(
    text: string,
    body: string,
    signal: AbortSignal,
    headers: Record<string, string>,
  ): Promise<number> {
    if (urlFault(text, this.config.WEBHOOK_PRIVATE_ADDRESSES) !== undefined) throw new AddressRefused();
    const url = new URL(text);
    const [{ request }, agent] =
      url.protocol === 'https:' ? [https, this.httpsAgent] : [http, this.httpAgent];
    const length = Buffer.byteLength(body);
    const sent = request(url, {
      method: 'POST',
      agent,
      signal,
      headers: { ...headers, 'content-length': length },
    });
    sent.on('error', () => undefined);
    sent.end(body);
    const [answer] = (await once(sent, 'response', { signal })) as [http.IncomingMessage];
    await skim(answer);
    return answer.statusCode!;
  }
}

/** Leaving the loop early ends the connection. */
async function skim(answer: http.IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > ANSWER_BYTES_MAX) return;
  }
}

/** The text of an error leaves addresses out. */
function wordsFor(error: unknown): string {
  if (error instanceof AddressRefused) return error.message;
  if (!(error instanceof Error)) return 'failed';
  return 'code' in error ? String(error.code) : error.name;
}
