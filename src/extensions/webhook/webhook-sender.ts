import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { OutgoingCalls, wordsFor } from '../../../libs/public-address';
import { signatureHeaders } from '../../../libs/standard-webhooks';
import { AppConfig } from '../../platform/config';
import type { Webhook, WebhookMessage } from './webhook';

/** `gone` asks that no further attempt is made. */
export type SendResult =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'failed' | 'gone'; readonly error: string };

const GONE = 410;

/** Only the status of an answer counts. A short body is read, to use the connection again. */
const ANSWER_BYTES_MAX = 4 * 1024;

/**
 * Sends one signed POST. Bodies of answers are not kept: they could be those of hosts that only this
 * server reaches.
 */
@Injectable()
export class WebhookSender implements OnApplicationShutdown {
  private readonly calls: OutgoingCalls;

  constructor(private readonly config: AppConfig) {
    this.calls = new OutgoingCalls(config.WEBHOOK_PRIVATE_ADDRESSES);
  }

  onApplicationShutdown(): void {
    this.calls.close();
  }

  async send(
    { url, secret }: Webhook,
    { id, body }: WebhookMessage,
    timestampSeconds: number,
  ): Promise<SendResult> {
    const signal = AbortSignal.timeout(this.config.WEBHOOK_TIMEOUT_MS);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'hongbao-webhooks',
      ...signatureHeaders([secret], { id, timestampSeconds, body }),
    };
    const call = { url, method: 'POST', headers, body, answerBytesMax: ANSWER_BYTES_MAX, signal } as const;
    try {
      const { status } = await this.calls.send(call);
      if (status >= 200 && status < 300) return { kind: 'delivered', status };
      return { kind: status === GONE ? 'gone' : 'failed', error: `answered ${status}` };
    } catch (error) {
      return { kind: 'failed', error: signal.aborted ? 'did not answer in time' : wordsFor(error) };
    }
  }
}
