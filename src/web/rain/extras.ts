/** The parts that no player sees on the first screen of an open rain. The page loads them after its first answers. */
export { PurseDialog } from '../kit/purse-dialog';
export { BestLuck } from './best-luck';
export { CodeOfPacket, CopyCode } from './code-of-packet';
export { Coins } from './coins';
export { PacketCheck, PacketVerdict } from './packet-check';
export { PasswordForm } from './password-form';
export { RainCheck } from './rain-check';
export { ShareLink } from './share-link';
