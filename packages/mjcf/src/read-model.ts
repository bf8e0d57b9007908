/** Reads a model: the result MuJoCo would compile, or why it would reject it, without running MuJoCo. */
import { type AssetRef, assetRefs, modelsBelow } from './assets/asset-refs.ts'
import { type AssetClosure, closeAssets, pathsToLookFor } from './assets/close-assets.ts'
import { lfsPointersAmong } from './assets/lfs-pointers.ts'
import { jointsOf, keyframesOf, namesOf, rootsOf } from './compose/answers.ts'
import { buildSpec } from './compose/build-spec.ts'
import { Faults, ModelRefusal } from './fault.ts'
import { checkGrammar } from './grammar/check-grammar.ts'
import { type LoadedModel, loadModel } from './load/load-model.ts'
import type { ModelFiles } from './model-files.ts'
import { pluginsOf } from './plugins.ts'
import { emptyReading, type ModelReading, type RootBody } from './reading.ts'
import { type RecordedFiles, recordedFiles } from './recorded-files.ts'
import { checkRules } from './rules/check-rules.ts'
import { asMjcf } from './urdf/as-mjcf.ts'

/**
 * The reading of the model whose main file is `entry`, a path in the repo. Faults of the model are part of the reading;
 * throws only what `files` throws. Requests the XML files wave by wave, then once the sizes of the asset files, and
 * reads those that are as small as Git LFS pointers. If `faults` or `missing` are not empty, MuJoCo rejects the model:
 * then `base` is null, and joints and keyframes are what could be read.
 */
export async function readModel(files: ModelFiles, entry: string): Promise<ModelReading> {
  const recorded = recordedFiles(files)
  const faults = new Faults()
  const parts: Partial<Writable<ModelReading>> = {}
  try {
    await readInto(parts, recorded, entry, faults)
  } catch (error) {
    if (!(error instanceof ModelRefusal)) throw error
    faults.items.push(error.fault)
    if (parts.format === undefined) parts.unread = error.fault.message
  }
  const { missing = [], base = null } = parts
  const refused = faults.items.length > 0 || missing.length > 0
  return {
    ...emptyReading(entry),
    ...parts,
    files: (parts.files ?? recorded.read()).toSorted(byBytes),
    missing,
    base: refused ? null : base,
    faults: faults.items,
    asked: recorded.asked(),
  }
}

/** Fills in the reading part by part, so that a rejection keeps the earlier parts. */
async function readInto(
  parts: Partial<Writable<ModelReading>>,
  files: RecordedFiles,
  entry: string,
  faults: Faults,
): Promise<void> {
  const loaded = await loadModel(files, entry, faults)
  const { missing, warnings } = loaded.report
  parts.format = loaded.format
  const unread =
    faults.items[0]?.message ?? (missing[0] && `${missing[0].path}, which ${missing[0].file} needs, is missing.`)
  if (unread !== undefined) parts.unread = unread
  parts.model = loaded.root.attributes.get(loaded.format === 'urdf' ? 'name' : 'model') ?? UNNAMED
  parts.missing = missing
  parts.warnings = warnings
  for (const { format, root } of modelsBelow(loaded)) if (format === 'mjcf') checkGrammar(root, faults, warnings)
  const model = asMjcf(loaded, faults)
  const spec = buildSpec(model, faults)
  parts.joints = jointsOf(spec)
  parts.roots = rootsOf(spec)
  parts.keyframes = keyframesOf(spec)
  parts.names = namesOf(spec)
  parts.sizes = checkRules(spec, faults)
  parts.base = spec.undecided.some(({ about }) => about === 'base') ? null : baseOf(parts.roots)
  parts.undecided = [...pluginsOf(model), ...spec.undecided]
  const refs = assetRefs(model, spec.attached)
  const closure = await lookUp(refs, files, faults)
  parts.files = [...new Set([...xmlFiles(model), ...closure.files])]
  parts.missing = [...missing, ...closure.missing]
  parts.warnings = [...warnings, ...closure.warnings]
}

const baseOf = (roots: readonly RootBody[]) => (roots.some(({ floating }) => floating) ? 'floating' : 'fixed')

async function lookUp(refs: readonly AssetRef[], files: ModelFiles, faults: Faults): Promise<AssetClosure> {
  const paths = pathsToLookFor(refs, faults)
  const found = paths.length === 0 ? [] : await files.sizesOf(paths)
  const sizes = new Map(paths.map((path, index) => [path, found[index] ?? null]))
  return closeAssets(refs, sizes, await lfsPointersAmong(sizes, files), faults)
}

function xmlFiles(top: LoadedModel): string[] {
  return modelsBelow(top).flatMap(({ path, includes }) => [path, ...includes])
}

/** The order of the UTF-8 bytes, which is that of the code points; JavaScript's own compares UTF-16 units. */
function byBytes(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const [left = 0, right = 0] = [a.codePointAt(at), b.codePointAt(at)]
    if (left !== right) return left - right
  }
  return a.length - b.length
}

/** MuJoCo's name for an unnamed model. */
const UNNAMED = 'MuJoCo Model'

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }
