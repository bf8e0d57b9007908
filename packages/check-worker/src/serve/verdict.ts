/** What a check found, as it goes to the hub: the members of the last report, and the files next to it. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CheckReportBody } from '@hub/client/internal'
import { parseExact } from '@hub/formats/exact-json'
import { writeDurably } from '@hub/runner/worker/journal'
import { z } from 'zod'
import type { CheckReport } from '../validate/report.ts'
import type { CheckFiles } from './check-files.ts'
import { withinHubLimits } from './hub-limits.ts'

/** The hub takes so many checks in a report; the first ones are those of the static reading. */
const MAX_CHECKS = 1_000

const artifactFile = z.object({ name: z.string(), contentType: z.string(), file: z.string(), size: z.number() })
/** A file to upload. `name` is the path that it takes in the repo. */
export type ArtifactFile = z.output<typeof artifactFile>

/** By its content, or by where it lies. */
export type MadeArtifact = { readonly name: string; readonly contentType: string } & (
  | { readonly text: string }
  | { readonly bytes: Uint8Array }
  | { readonly file: string; readonly size: number }
)

export interface Verdict {
  readonly report: CheckReport
  readonly draft: object
  readonly engine: object
  readonly intake: object | null
  readonly artifacts: readonly MadeArtifact[]
}

const stored = z.object({ artifacts: z.array(artifactFile), body: z.record(z.string(), z.unknown()) })

/** Puts it on disk, with its artifacts. */
export async function keepVerdict(files: CheckFiles, { artifacts, report, intake, ...rest }: Verdict): Promise<void> {
  await mkdir(files.artifacts, { recursive: true, mode: 0o700 })
  const kept: ArtifactFile[] = []
  for (const [index, made] of artifacts.entries()) kept.push(await keepArtifact(files, made, index))
  const reported = { ...report, checks: report.checks.slice(0, MAX_CHECKS) }
  const whole = withinHubLimits({ ...rest, report: reported, intake: intake && withoutNulls(intake) })
  const body = withoutNulls(whole)
  writeDurably(files.verdict, JSON.stringify({ artifacts: kept, body }))
}

async function keepArtifact(files: CheckFiles, made: MadeArtifact, index: number): Promise<ArtifactFile> {
  const { name, contentType } = made
  if ('file' in made) return { name, contentType, file: made.file, size: made.size }
  const file = join(files.artifacts, String(index))
  await writeFile(file, 'bytes' in made ? made.bytes : made.text, { mode: 0o600 })
  return { name, contentType, file, size: (await stat(file)).size }
}

/** Null is what a report leaves out. */
const withoutNulls = (object: object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null))

/** As it was kept, with its numbers as they were written. */
export async function keptVerdict(files: CheckFiles): Promise<{ artifacts: ArtifactFile[]; body: CheckReportBody }> {
  return stored.parse(parseExact(await readFile(files.verdict, 'utf8')))
}
