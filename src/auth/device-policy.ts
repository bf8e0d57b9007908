/**
 * The rule for who sees a device, as SQL and as a Prisma condition: the members of its owner; a key limited to repos
 * only if the repo of the device's robot is listed. The key of a hosted job sees no device: it serves policies and
 * moves no robot. Contract, "Devices".
 */
import type { Viewer } from '../operation/context.ts'

/**
 * The condition on the devices row `alias`, with the parameters `billedViewer`. It is false for the key of a hosted
 * job, because `visibleRuns` gives that key no accounts.
 */
export function deviceVisibleSql(alias: string): string {
  return `(${alias}.owner_id = any(:accountIds::text[]) and (:repoIds::text[] is null or ${alias}.robot_repo_id = any(:repoIds::text[])))`
}

/** The same rule as a Prisma `where`. */
export function deviceVisibleWhere(viewer: Viewer) {
  if (viewer.kind === 'anonymous' || viewer.job) return { ownerId: { in: [] as string[] } }
  const { accountIds, repoIds } = viewer
  return { ownerId: { in: [...accountIds] }, ...(repoIds && { robotRepoId: { in: [...repoIds] } }) }
}
