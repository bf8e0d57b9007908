/**
 * Why a read is exact SQL and not Prisma's. A write has no reason: it is one compare-and-set, or part of a transaction
 * with its locks, which Prisma's client cannot share. Neither has a read that locks.
 */
export const exactReasons = {
  'each-request': 'Each request asks it: who the credential is and what it may reach.',
  hot: 'Measured hot: repos, runs, checks and files, one or a page; downloads, resumed uploads.',
  followed: 'Each report of a runner or read of a follower asks it.',
  'in-transaction': 'Read inside a transaction, beside the rows that it has locked or written.',
  'per-parent': 'A limit for each of many parents, a window, or a keyset over several columns.',
  // Through Prisma these would also cost a statement for each account and table that they are joined to.
  'verb-answer':
    'The row that a verb returns from its transaction, where Prisma cannot read: a second reader would have to give ' +
    'the same answer.',
  'database-clock':
    "Tells what is over by the database's clock, and compares lists (`<@`) to say who sees it; Prisma can do neither.",
  'client-json': "Carries a client's own JSON, which Prisma parses, so that numbers lose digits.",
  aggregate: 'Aggregates, patterns or conditions of several tables in one statement, where Prisma would read the rows.',
  'next-batch':
    "Finds the next batch of background work by the database's clock or a partial index, beside the statement that " +
    'takes it.',
  'lost-object':
    'Only after the object store had no object: one column says whether it is lost, in a verb that has no selection ' +
    'of a client.',
  server: 'About the server and its database, not their rows: settings, clock, readiness, migrations.',
} as const

export type ExactReason = keyof typeof exactReasons
