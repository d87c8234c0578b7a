import type { Fault } from '../../../../libs/problem';
import { urlFault } from '../../../../libs/public-address';
import type { AppConfig } from '../../config';
import { invalidField } from '../problems/http.error';

/**
 * Returns the URL that a client wants us to call, in the form in which it is called.
 * @throws Problem `request.invalid` naming the field `url`
 */
export function outgoingUrl(text: string, { WEBHOOK_PRIVATE_ADDRESSES }: AppConfig): string {
  const fault = urlFault(text, WEBHOOK_PRIVATE_ADDRESSES);
  if (fault) throw invalidUrl(fault);
  return new URL(text).href;
}

export const invalidUrl = (fault: Fault): Error => invalidField('url', fault);
