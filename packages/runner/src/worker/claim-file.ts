/**
 * The claim that a worker is making, on disk before the hub hears of it. A repeat under its Idempotency-Key answers the
 * same job while the claim lasts, so a worker that is killed before it knows what it was given finds out when it is
 * started again.
 */
import { createHash, randomUUID } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { nullIfMissing } from './growing-file.ts'
import { readJournal, writeDurably } from './journal.ts'
import { isRunning, thisProcess } from './living-process.ts'

/** What is asked. A repeat has to ask the same. */
export const claimShape = z.object({
  key: z.string(),
  worker: z.string(),
  waitS: z.number(),
  /** Only work of this account; null for all accounts of the credential. */
  owner: z.string().nullable(),
  /** The one job to claim; null for the oldest that waits. */
  job: z.string().nullable(),
})
export type Claim = z.output<typeof claimShape>

/** Whose claim it is: only the same credential of the same hub is answered again. */
export interface Claimer {
  /** The kind of job. */
  readonly kind: string
  readonly url: string
  readonly credential: string
}
const stored = claimShape.extend({ kind: z.string(), url: z.string(), credential: z.string() })

/** A name for a credential that does not reveal it. */
export const credentialName = (token: string) => createHash('sha256').update(token).digest('hex').slice(0, 32)

/** The claims of one worker, in its work folder. The file's name says which process makes the claim. */
export function claimFile(workDir: string, claimer: Claimer) {
  const { kind, url, credential } = claimer
  const { pid, born } = thisProcess()
  const own = join(workDir, `claim-${pid}-${born.replaceAll(' ', '_')}-${randomUUID()}.json`)
  return {
    keep: (claim: Claim) => writeDurably(own, JSON.stringify({ ...claim, kind, url, credential })),
    drop: () => rm(own, { force: true }),
    /** Takes over one claim of this claimer (for `job`, unless null) whose process is gone; null if there is none. */
    async adopt(job: string | null): Promise<Claim | null> {
      for (const name of (await readdir(workDir).catch(nullIfMissing)) ?? []) {
        const [, id, start] = /^claim-(\d+)-(.*)-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.json$/.exec(name) ?? []
        if (id === undefined || isRunning({ pid: Number(id), born: (start ?? '').replaceAll('_', ' ') })) continue
        const found = readJournal(join(workDir, name), stored)
        if (found === null || !isOf(claimer, found) || (job !== null && found.job !== job)) continue
        // Of several workers that start at once, one moves it.
        const isOwn = await rename(join(workDir, name), own).then(() => true, nullIfMissing)
        if (isOwn) return claimShape.parse(found)
      }
      return null
    },
  }
}

const isOf = (claimer: Claimer, { kind, url, credential }: Claimer) =>
  kind === claimer.kind && url === claimer.url && credential === claimer.credential
