/**
 * Connections that the kernel keeps until they are accepted: as many as Linux allows by default
 * (`net.core.somaxconn`). Beyond Node's own 511, clients would get no answer and retry after one
 * second, then after three. To some of them the connection looks open, and the server may have
 * given up on it before they send their request again.
 */
export const ACCEPT_QUEUE_LENGTH = 4_096;
