/** The secret of the campaign's own processes, which only they can reach. */
export const JWT_SECRET = 'a-secret-for-the-fault-campaign-0123456789';
