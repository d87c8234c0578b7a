/** The value `.env.example` shows. Everybody can read it, so production refuses it. */
export const SAMPLE_JWT_SECRET = 'sample-secret-for-development-only-0123456789';
