/**
 * One robot check, from a folder of files and a person's answers, to a draft card and a report: the model is read
 * statically, compiled and stepped by MuJoCo in a separate process, a URDF is converted, and a browser draws it.
 * Nothing is written, and no hub is called.
 */

import { localFiles } from '@hub/mjcf/folder/local-files'
import type { FileWaves, ReadingPool } from '@hub/mjcf/processes/reading-pool'
import type { ModelReading } from '@hub/mjcf/reading'
import type { Check } from '@hub/mjcf/verdict/check'
import { modelChecks } from '@hub/mjcf/verdict/model-checks'
import { cardChecks } from '@hub/robot-card/card-checks'
import { readCard } from '@hub/robot-card/read-card'
import { countText } from '@hub/text/amounts'
import { type DraftReport, draftReport } from './draft-report.ts'
import { type EngineLimits, engineLimits } from './engine/limits.ts'
import { type DraftCard, draftCard } from './init/draft-card.ts'
import { conversionNeeds, noCard, withRefusals } from './needs.ts'
import { overlaidFiles } from './overlaid-files.ts'
import { preparedModel } from './prepared-model.ts'
import type { Need, RobotCheckRequest } from './request.ts'
import type { Chromium } from './stills/find-chromium.ts'
import { stillsLimits } from './stills/limits.ts'
import { type Still, stillsOf } from './stills/stills-of.ts'
import { tryModel } from './try-model.ts'
import { type CheckReport, checkReport } from './validate/report.ts'
import { simulationChecks } from './validate/simulation-checks.ts'

export interface RobotCheck {
  readonly folder: string
  readonly request: RobotCheckRequest
  /** Reads models within limits of its own; one serves many checks. */
  readonly pool: ReadingPool
  /** For the card's validation record: the id and the time of the check. */
  readonly checkId: string | null
  readonly checkedAt: Date
  /** One line of progress, or of MuJoCo's output. */
  readonly log: (line: string) => void
  readonly signal: AbortSignal
  /** Draws the stills; see `findChromium`. */
  readonly chromium: Chromium
  readonly limits?: EngineLimits
}

export interface RobotCheckResult {
  readonly report: CheckReport
  /** The report's summary of the draft; the card is separate. */
  readonly draft: DraftReport
  /**
   * The members of RobotCardPut and `needs_you`, the content of `robot_card.json`; null where MuJoCo does not compile
   * the model.
   */
  readonly card: (DraftCard & { readonly needs_you: readonly Need[] }) | null
  readonly needs: readonly Need[]
  /** The MJCF that was made of a URDF, and its path in the repo. */
  readonly converted: Converted | null
  /** Artifacts `thumbnail.png` and `thumbnail-dark.png`: both, or none, and then the log says why. */
  readonly stills: readonly Still[]
  readonly engine: { readonly name: 'mujoco'; readonly version: string | null; readonly build: 'wasm' }
}

/**
 * Rejects with a `LocalError` where the folder or a file of it cannot be read, and with `signal`'s reason; whatever is
 * wrong with the model is in the result.
 */
export async function checkRobot(given: RobotCheck): Promise<RobotCheckResult> {
  const { request, pool, signal, log, limits = engineLimits } = given
  const files = await localFiles(given.folder)
  const model = await preparedModel(files, pool, request, signal)
  log(`${request.entry}: a model of ${countText(model.reading.files.length, 'file')}`)
  const canDraw = 'program' in given.chromium
  const scene = canDraw ? { maxBytes: stillsLimits.sceneBytes } : null
  const trial = await tryModel({ files, prepared: model, request, limits, scene, log, signal })
  const run = 'run' in trial ? trial.run : null
  const converted =
    run?.facts && model.convertTo !== null && run.converted !== null
      ? { path: model.convertTo, text: run.converted }
      : null
  const drafted = run?.facts
    ? draftCard({ facts: run.facts, mjcfPath: converted?.path ?? request.entry, urdf: model.urdf }, request)
    : null
  const reading = converted ? await readConverted(pool, files, converted, signal) : model.reading
  const statics = drafted ? staticChecks(drafted.card, reading) : modelChecks(reading, request.entry)
  const missing = [
    ...(converted ? await replaced(files, request.entry, converted, signal) : []),
    ...(model.urdf?.needs ?? []),
    ...(drafted?.needs ?? [noCard(request.entry)]),
  ]
  const needs = withRefusals(missing, drafted ? statics : [])
  const checks = [
    ...statics,
    ...simulationChecks(trial, {
      entry: request.entry,
      undecided: model.reading.undecided.find(({ about }) => about === 'model')?.reason ?? null,
      toldAbove: statics.some(({ status }) => status === 'fail'),
    }),
  ]
  const version = run?.version ?? null
  const face = drafted && readCard(drafted.card).card?.interface
  const report = checkReport(checks, version === null ? STATIC_ENGINE : `mujoco ${version}`, reading, face)
  for (const one of checks) if (one.status !== 'pass') log(`${one.code} ${one.status}: ${one.message}`)
  return {
    report,
    draft: draftReport({ request, draft: drafted, facts: run?.facts ?? null, converted, prepared: model }),
    card: drafted && { ...validated(drafted.card, given, version, checks), needs_you: needs },
    needs,
    converted,
    stills: run?.facts ? await stillsOf(run.scene, given) : [],
    engine: { name: 'mujoco', version, build: 'wasm' },
  }
}

async function readConverted(
  pool: ReadingPool,
  files: FileWaves,
  { path, text }: Converted,
  signal: AbortSignal,
): Promise<ModelReading> {
  return (await pool.read(overlaidFiles(files, path, text), path, signal)).reading
}

/** The engine's name in the hub's own reports, if MuJoCo did not run. */
const STATIC_ENGINE = 'hub-static'

interface Converted {
  readonly path: string
  readonly text: string
}

async function replaced(files: FileWaves, entry: string, { path, text }: Converted, signal: AbortSignal) {
  const [existing] = await files.readFiles([path], signal)
  return conversionNeeds(entry, path, text, existing ? new TextDecoder().decode(existing) : null)
}

/** Those of a card PUT, over the files of the folder. A draft has no stills yet. */
function staticChecks(card: DraftCard, reading: ModelReading): readonly Check[] {
  return cardChecks(readCard(card), { reading, stills: new Set() })
}

/** The draft with its findings; without them if they exceed the size limit of a card. */
function validated(
  card: DraftCard,
  { checkId, checkedAt }: Pick<RobotCheck, 'checkId' | 'checkedAt'>,
  version: string | null,
  checks: readonly Check[],
): DraftCard {
  const record = {
    engine: 'mujoco',
    engine_version: version,
    checked_at: checkedAt.toISOString(),
    checks: checks.map((one) => ({
      ...one,
      names: [...one.names],
      loc: one.loc && [...one.loc],
      data: one.data && { ...one.data },
    })),
    check_id: checkId,
  }
  const whole = { ...card, validation: record }
  const isSound = readCard(card).card === null || readCard(whole).card !== null
  return isSound ? whole : card
}
