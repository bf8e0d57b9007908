/** Settings that a training tells TensorBoard (its plugin `hparams`), as part of the run's config. */
import { isJsonObject, parseExact, writeExact } from '@hub/formats/exact-json'
import { textOf } from '@hub/runner/run-files'
import { replaceFile } from '../replace-file.ts'
import type { TrackFiles } from '../track-folder.ts'

type Settings = Readonly<Record<string, unknown>>

/** Keeps the settings on disk; of two with one name the later. */
export async function keepHparams(files: Pick<TrackFiles, 'hparams'>, settings: Settings): Promise<void> {
  const names = Object.keys(settings)
  if (names.length === 0) return
  const before = objectIn(await textOf(files.hparams)) ?? {}
  const after = writeExact({ ...before, ...withNulls(settings) })
  if (after !== writeExact(before)) await replaceFile(files.hparams, after)
}

/** JSON has neither NaN nor infinities. */
const withNulls = (settings: Settings) =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name,
      typeof value === 'number' && !Number.isFinite(value) ? null : value,
    ]),
  )

/** Text that is not a JSON object has none. */
function objectIn(text: string | null): Settings | null {
  if (text === null) return null
  try {
    const value = parseExact(text)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

/**
 * The file that is sent as the run's config: the command's own `config.yaml`, with the settings that TensorBoard was told
 * under names that it has not. A `config.yaml` that is not JSON stays as it is.
 */
export async function configWithHparams(files: Pick<TrackFiles, 'config' | 'hparams' | 'merged'>): Promise<string> {
  const settings = objectIn(await textOf(files.hparams))
  if (settings === null) return files.config
  const text = await textOf(files.config)
  const config = text === null ? {} : objectIn(text)
  if (config === null) return files.config
  const merged = `${writeExact({ ...settings, ...config }, 2)}\n`
  // Its time tells whether it changed.
  if ((await textOf(files.merged)) !== merged) await replaceFile(files.merged, merged)
  return files.merged
}
