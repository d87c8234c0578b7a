/** Used by the campaign's own processes only; nobody else listens to them. */
export const JWT_SECRET = 'a-secret-for-the-fault-campaign-0123456789';
