/**
 * The model repo that a report names as the output of its run: a reference protects it from deletion, and a run that
 * succeeds writes its meta block. Spec, reportRun.
 */

import { assertMayWriteRepo } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { findTemplate, hasFigures } from '../../planner/templates.ts'
import { HubError, invalid } from '../../platform/errors.ts'
import { findRepo, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { touchRepo } from '../../repos/put-meta.ts'
import { replaceReference } from '../../repos/references.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { insertInto } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'
import type { LockedRun } from './report-rows.ts'

const place = ['outputModelRepo'] as const

/** 422 for a repo that a report cannot name. */
const refused = (why: string) => invalid('validation.value', why, place)

/** The repo that a report names; 422 if it is not a model repo that the caller can see and write. */
export async function findOutputRepo(ctx: RequestContext, fullName: string): Promise<RepoFacts> {
  const [owner = '', slug = ''] = fullName.split('/')
  try {
    const repo = await findRepo(ctx, { owner, slug })
    assertMayWriteRepo(ctx.viewer, repo, repo.fullName)
    if (repo.kind !== 'model') throw refused(`${repo.fullName} is a ${repo.kind} repo; a run makes a model repo.`)
    return repo
  } catch (error) {
    if (error instanceof HubError && (error.status === 403 || error.status === 404)) throw refused(error.message)
    throw error
  }
}

/** Locks the repo of a report; in the lock order, repos come before runs. 422 if the report names a deleted repo. */
export async function lockOutputRepo(tx: Tx, repoId: string, isNamed: boolean): Promise<RepoFacts | null> {
  const repo = await lockRepo(tx, repoId)
  if (!repo && isNamed) throw refused('The repo was deleted.')
  return repo
}

/** Protects the repo from deletion, instead of the repo that an earlier report named. */
export async function referToOutput(tx: Tx, { id, ownerId }: LockedRun, repoId: string): Promise<void> {
  await replaceReference(tx, { kind: 'run', id, ownerId }, { repoId, reason: 'output' })
}

const stampedColumn = columns({ policyType: column.text('policy_type') })

const modelMetaRow = insertInto('model_meta', {
  repoId: param.text(),
  policyType: param.text(),
  sourceRunId: param.text(),
  robot: param.text.orNull(),
  robotRepoId: param.text.orNull(),
  controlClass: param.enum.orNull('ControlClass'),
})

const stampMeta = statement({
  name: 'model-meta-stamp',
  columns: stampedColumn,
  params: modelMetaRow.params,
  text: `${modelMetaRow.sql} on conflict (repo_id) do nothing returning ${stampedColumn.sql}`,
})

/**
 * Writes the model's meta block if it has none: template, source run and robot. The caller holds the repo's row lock.
 */
export async function stampOutput(ctx: RequestContext, tx: Tx, run: LockedRun, repo: RepoFacts): Promise<void> {
  const { extraTemplates } = ctx.deps.config.runs
  const template = findTemplate(run.template, extraTemplates)
  const controlClass = template && hasFigures(template) ? template.controlClass : null
  const [stamped] = await tx.query(stampMeta, {
    repoId: repo.id,
    policyType: run.template,
    sourceRunId: run.id,
    robot: run.robot,
    robotRepoId: run.robotRepoId,
    controlClass,
  })
  if (!stamped) return
  await tx.query(touchRepo, { id: repo.id })
  const after = { ...stamped, sourceRunId: run.id, robot: run.robot, controlClass }
  await audit(tx, ctx, { action: 'repo.meta', accountId: repo.ownerId, targetId: repo.id, after })
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
}
