export { newSecret, secretBytes, type Signed, signatureHeaders } from './standard-webhooks';
