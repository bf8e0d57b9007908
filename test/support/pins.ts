/** What keeps and what ages the states of a repo, for tests of versions and of collection. */
import { putRun } from './runs.ts'
import type { World, WorldRepo } from './world.ts'

/** A run of the account that has pinned the repo at this change. */
export async function pinRun(world: World, ownerId: string, repo: WorldRepo, seq: number): Promise<string> {
  const run = await putRun(world.deps.db, { ownerId, repoIds: [repo.id] })
  await world.sql('insert into run_datasets (run_id, position, ref, repo_id, seq) values ($1, 0, $2, $3, $4)', [
    run,
    `svc://${repo.owner}/${repo.repo}`,
    repo.id,
    seq,
  ])
  return run
}

/** The number of the repo's latest change. */
export async function seqOf(world: World, repo: WorldRepo): Promise<number> {
  const [row] = await world.sql<{ seq: number }>('select seq from repos where id = $1', [repo.id])
  return row?.seq ?? 0
}

/** Files that were replaced or deleted are so for longer than any grace period: of one repo, or of all. */
export const ageFiles = (world: World, repoId: string | null = null) =>
  world.sql(
    `update files set closed_at = closed_at - interval '8 days' where closed_at is not null and ($1::text is null or repo_id = $1)`,
    [repoId],
  )
