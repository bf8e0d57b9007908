/** SQL for the spares of an account (`src/files/storage-spares.ts`), which what it is shown is without. */

/** What they come to; `owner` is SQL for the id of the account. */
export const sparesSql = (owner: string) =>
  `coalesce((select sum(s.bytes) from storage_spares s where s.owner_id = ${owner}), 0)::int8`
