import { CreateBaseline1795847537000 } from './1795847537000-create-baseline';

/** All migrations, oldest first. A new one goes to the end and never changes once it has landed. */
export const migrations = [CreateBaseline1795847537000];
