/** putRobotCard (spec, "PUT /v1/robots/{owner}/{repo}/card"): full replace; rejected with reasons, never repaired. */
import { createHash } from 'node:crypto'
import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import { interfaceFingerprint } from '@hub/robot-card/fingerprint'
import { withoutReadDefaults } from '@hub/robot-card/read-defaults'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, type Loc, notFound } from '../platform/errors.ts'
import { bodyOfCard } from '../repos/bodies/body-of-file.ts'
import { keepRobotBody } from '../repos/bodies/kept-bodies.ts'
import { findRepoByIdToWrite, findRepoToWrite, lockRepo, type RepoFacts } from '../repos/get-repo.ts'
import { touchRepo } from '../repos/put-meta.ts'
import { cardOf } from '../repos/repo-shape.ts'
import type { Tx } from '../store/db.ts'
import { acceptedCard, isRefused } from './accepted-card.ts'
import { assertRobotRepo, judgeCard } from './judge-card.ts'
import { type RobotCard, storedCard, upsertCard } from './robot-card.ts'

export interface PutRobotCardInput {
  readonly owner: string
  readonly repo: string
  /** Any JSON value, in `/v1` names. */
  readonly document: unknown
  /** Maps a place in the card to a place in the request; `["input", "document", …]` by default. */
  readonly placeOf?: (loc: Loc) => Loc
}

/**
 * A card is checked again if the repo's files changed in the meantime; if they keep changing, the client must retry.
 */
const ATTEMPTS = 5

/**
 * Stores the card if no check fails. Errors: 401, 403, 404, 409 (another kind of repo; files keep changing), 422
 * `validation.failed` with one entry for each failing check, 503.
 */
export async function putRobotCard(ctx: RequestContext, input: PutRobotCardInput): Promise<RobotCard> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const stored = await guarded(
      ctx,
      () => findRepoToWrite(ctx, input),
      (allowed, repo) => judgeAndStore(allowed, repo, input),
    )
    if (stored) return stored
  }
  throw new HubError(
    'conflict.in_progress',
    'The files of the repo are being changed; put the card again once they are complete.',
  )
}

/** Null if the files of the repo changed while the card was checked. */
async function judgeAndStore(
  ctx: AllowedContext,
  repo: RepoFacts,
  input: PutRobotCardInput,
): Promise<RobotCard | null> {
  assertRobotRepo(repo)
  const verdict = await judgeCard(ctx, repo, input.document)
  // A repo that was deleted during the check has lost its files, which would be reported as missing.
  if (isRefused(verdict) && !(await findRepoByIdToWrite(ctx, repo.id, repo.fullName)))
    throw notFound(`The repo ${repo.fullName}`)
  const card = acceptedCard(verdict, input.placeOf ?? inDocument)
  const { seq } = verdict
  return commitVerb(ctx, (tx) => store({ ctx, tx, facts: repo, card, seq })).catch((error: unknown) => {
    if (error instanceof FilesMoved) return null
    throw error
  })
}

/** Thrown to roll back the transaction, including the record of its Idempotency-Key. */
class FilesMoved extends Error {}

async function store({
  ctx,
  tx,
  facts,
  card,
  seq,
}: {
  readonly ctx: RequestContext
  readonly tx: Tx
  readonly facts: RepoFacts
  readonly card: RobotCardDocument
  readonly seq: number
}): Promise<RobotCard> {
  const repo = await lockRepo(tx, facts.id)
  if (!repo) throw notFound(`The repo ${facts.fullName}`)
  if (repo.seq !== seq) throw new FilesMoved()
  return storeCard(ctx, tx, repo, (before) => withoutReadDefaults(card, before))
}

/**
 * Replaces the card of a repo that the caller has locked, audited; `replace` gets the one before. The card has passed
 * its checks at the repo's `seq`.
 */
export async function storeCard(
  ctx: RequestContext,
  tx: Tx,
  repo: RepoFacts,
  replace: (before: RobotCardDocument | null) => RobotCardDocument,
): Promise<RobotCard> {
  const [row] = await tx.query(storedCard, { repoId: repo.id })
  const before = row ? cardOf(row) : null
  const card = replace(before?.card ?? null)
  const text = JSON.stringify(card)
  const fingerprint = interfaceFingerprint(card.interface)
  const [put] = await tx.query(upsertCard, { repoId: repo.id, text, interfaceFingerprint: fingerprint })
  if (!put) throw new Error('An upsert returns its row.')
  await keepRobotBody(tx, repo.id, bodyOfCard(card))
  await tx.query(touchRepo, { id: repo.id })
  const after = { card, interfaceFingerprint: fingerprint, updatedAt: put.updatedAt }
  await audit(tx, ctx, {
    action: 'repo.card',
    accountId: repo.ownerId,
    targetId: repo.id,
    before: before ? summary(before) : {},
    after: summary(after),
  })
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
  return after
}

/** Summary of a card for the audit log; the card itself can be a megabyte long. */
function summary({ card, interfaceFingerprint }: RobotCard): Record<string, unknown> {
  const sha256 = createHash('sha256').update(JSON.stringify(card)).digest('hex')
  return { mjcf_path: card.mjcf_path ?? null, interface_fingerprint: interfaceFingerprint, sha256 }
}

const inDocument = (loc: Loc): Loc => ['document', ...loc]
