import { urlFault } from '../../../../libs/public-address';
import type { AppConfig } from '../../config';
import { invalidField } from '../edge/http.error';

/**
 * Returns the URL that a client wants us to call, as it is called.
 * @throws Problem `request.invalid` naming the field `url`
 */
export function outgoingUrl(text: string, { WEBHOOK_PRIVATE_ADDRESSES }: AppConfig): string {
  const message = urlFault(text, WEBHOOK_PRIVATE_ADDRESSES);
  if (message !== undefined) throw invalidUrl(message);
  return new URL(text).href;
}

export const invalidUrl = (message: string): Error => invalidField('url', message);
