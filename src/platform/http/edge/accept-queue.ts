/**
 * Connections that the kernel keeps until they are accepted, as many as Linux allows by default (`net.core.somaxconn`). Beyond
 * Node's own 511 it would leave clients unanswered, and they try again after one second, then after three. To some of these the
 * connection looks open: by the time they send their request once more, the server may have given up on them.
 */
export const ACCEPT_QUEUE_LENGTH = 4_096;
