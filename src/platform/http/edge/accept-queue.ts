/**
 * Connections that the kernel keeps until they are accepted: Linux' default maximum
 * (`net.core.somaxconn`). Beyond Node's own 511, clients would get no answer and retry after one
 * second, then after three, and the server may have given up on a connection that looks open to
 * them.
 */
export const ACCEPT_QUEUE_LENGTH = 4_096;
