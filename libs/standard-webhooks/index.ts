export { isSigned, newSecret, type Signed, signatureHeaders } from './standard-webhooks';
