export { AddressRefused, isPublicAddress, lookupPublic } from './public-address';
export { type Answer, NotSent, OutgoingCalls, wordsFor } from './outgoing-calls';
export { URL_LENGTH_MAX, urlFault } from './url-fault';
