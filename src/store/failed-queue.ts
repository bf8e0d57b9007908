/** Where background jobs wait that have failed for good. */

/** The name of their queue. Nothing works on it: the operator looks at it and sends its jobs again. */
export const FAILED_QUEUE = 'failed'

/** How long a job that has failed is kept. */
export const FAILED_KEPT_SECONDS = 7 * 86_400

/** SQL: whether jobs of the queue `name` are worked on by a hub: it is neither pg-boss's own nor that of failed jobs. */
export const isWorkedOn = (name: string): string =>
  `${name} not like '\\_\\_pgboss\\_\\_%' and ${name} <> '${FAILED_QUEUE}'`
