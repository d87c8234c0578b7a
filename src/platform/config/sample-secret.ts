/** The value that `.env.example` shows. It is public, so production refuses it. */
export const SAMPLE_JWT_SECRET = 'sample-secret-for-development-only-0123456789';
