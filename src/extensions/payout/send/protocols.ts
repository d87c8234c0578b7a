import type { ChannelRow, ProtocolName } from '../channel/channel.entity';
import type { Protocol } from './protocol';
import { signedJson } from './signed-json';

const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = { 'signed-json': signedJson };

export const protocolOf = ({ profile: { protocol = 'signed-json' } }: ChannelRow): Protocol =>
  PROTOCOLS[protocol];
