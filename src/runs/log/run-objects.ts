/**
 * What runs keep in the object store, under `runs/{run_id}/`. Keys are never used twice: an object is written before the transaction that names it, and
 * one that no transaction named is collected by the time in its key.
 */
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { asStoreRefusal, requireObjects } from '../../files/objects.ts'
import type { Deps, RequestContext } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { idTimeMs } from '../../platform/ids.ts'
import type { Tx } from '../../store/db.ts'

export const RUN_PREFIX = 'runs/'

/** Under which everything of one run lies. */
export const runPrefix = (runId: string) => `${RUN_PREFIX}${runId}/`

/** What an object of a run is; `logs/` is the prefix that the run shows. */
export type RunObjectKind = 'logs' | 'config' | 'scorecard'

const facts: Readonly<Record<RunObjectKind, { readonly extension: string; readonly contentType: string }>> = {
  logs: { extension: 'log', contentType: 'text/plain; charset=utf-8' },
  config: { extension: 'yaml', contentType: 'application/yaml; charset=utf-8' },
  scorecard: { extension: 'json', contentType: 'application/json; charset=utf-8' },
}

const TIME_DIGITS = 14

function newKey(runId: string, kind: RunObjectKind): string {
  const name = `${String(Date.now()).padStart(TIME_DIGITS, '0')}-${randomBytes(10).toString('hex')}`
  return `${RUN_PREFIX}${runId}/${kind}/${name}.${facts[kind].extension}`
}

/** Where a run's metrics stand: one object, written when the run is over, or brought by an import. */
export const metricsKey = (runId: string) => `${RUN_PREFIX}${runId}/metrics.jsonl`

/** When the object was made, by the clock of the hub that made it (of metrics: when their run was); null for a key that is none of these. */
export function madeAtMs(key: string): number | null {
  const [, runId] = /^runs\/(run_[0-9a-z]{26})\/metrics\.jsonl$/.exec(key) ?? []
  if (runId !== undefined) return idTimeMs(runId)
  const [, time] = /^runs\/run_[0-9a-z]{26}\/(?:logs|config|scorecard)\/(\d{14})-[0-9a-f]{20}\.\w+$/.exec(key) ?? []
  return time === undefined ? null : Number(time)
}

/** Writes one object and returns its key. 503 where there is no store, or it does not answer. */
export async function putRunObject(
  deps: Pick<Deps, 'objects'>,
  runId: string,
  kind: RunObjectKind,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<string> {
  const key = newKey(runId, kind)
  const { contentType } = facts[kind]
  try {
    await requireObjects(deps).put(key, bytes, { sizeBytes: bytes.byteLength, contentType, signal })
    return key
  } catch (error) {
    throw asStoreRefusal(error)
  }
}

/** Deletes objects that the transaction unnames; what cannot be deleted is left for collection. */
export function deleteAfterCommit(
  { objects, log }: Pick<Deps, 'objects' | 'log'>,
  tx: Tx,
  keys: readonly (string | null)[],
): void {
  const unused = keys.filter((key) => key !== null)
  if (unused.length === 0) return
  tx.afterCommit(() => {
    objects?.delete(unused).catch((cause: unknown) => {
      log.warn({ err: cause }, 'objects of a run that nothing names are left for collection')
    })
  })
}

/** After a refusal the transaction is known not to stand. After any other failure it may: then what no row names is collected later. */
export async function forgetRefused(ctx: RequestContext, keys: readonly string[], error: unknown): Promise<void> {
  if (keys.length === 0 || !(error instanceof HubError) || error.status >= 500) return
  await ctx.deps.objects?.delete(keys).catch((cause: unknown) => {
    ctx.deps.log.warn({ err: cause }, 'objects of what was refused are left for collection')
  })
}

/** The text of one object; 503 where the store does not answer. */
export async function readRunObject(deps: Pick<Deps, 'objects'>, key: string, signal?: AbortSignal): Promise<string> {
  try {
    const { body } = await requireObjects(deps).get(key, signal ? { signal } : {})
    return await textOf(body)
  } catch (error) {
    throw asStoreRefusal(error)
  }
}

async function textOf(body: Readable): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
