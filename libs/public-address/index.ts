export { AddressRefused, isPublicAddress, lookupPublic } from './public-address';
