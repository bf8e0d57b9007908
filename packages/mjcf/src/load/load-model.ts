/** Loads files into trees: the only stage that reads files. */
import { type Faults, ModelRefusal } from '../fault.ts'
import { limits } from '../limits.ts'
import type { ModelFiles } from '../model-files.ts'
import { folderOf } from '../paths.ts'
import type { XmlElement } from '../xml/element.ts'
import { existing, expandIncludes, leaves, warnOfFallback } from './expand-includes.ts'
import { formatOf, gatherFiles } from './gather-files.ts'
import type { LoadedModel, LoadReport } from './loaded-model.ts'
import type { Loading } from './loading.ts'
import { isModelFile, leavesRepo, modelReference } from './references.ts'
import { addXmlFault, missingFile } from './report.ts'

export type { LoadedModel } from './loaded-model.ts'

/**
 * Reads `entry` with everything that it includes and the models that it contains. Throws `ModelRefusal` if there is no
 * usable tree: no entry (`entry`), invalid XML (`xml`), over a limit (`limit`). Other faults, also those of contained
 * models, are added to `faults`.
 */
export async function loadModel(files: ModelFiles, entry: string, faults: Faults): Promise<LoadedModel> {
  const gathered = await gatherFiles(files, entry)
  const report: LoadReport = { missing: [], warnings: [] }
  const left = { elements: limits.elements, bytes: limits.textBytes, includes: limits.includes, models: limits.models }
  const loading: Loading = { gathered, faults, report, reported: new Set(), left }
  const file = gathered.get(entry)
  if (!file) faults.refuse('entry', { file: entry }, `There is no file "${entry}".`, { names: [entry] })
  if (file.bytes === 0) faults.refuse('entry', { file: entry }, `"${entry}" is empty.`, { names: [entry] })
  if (!file.root) throw new ModelRefusal(file.fault)
  const format = formatOf(file.root)
  if (!format) {
    const hint = 'A model begins with <mujoco>, a URDF with <robot>; a file with another root can only be included.'
    faults.refuse('entry', file.root, `The root element <${file.root.name}> is not the root of a model.`, {
      names: [entry],
      hint,
    })
  }
  left.bytes -= file.bytes
  return modelOf(file.root, format, [entry], loading)
}

/** `chain` leads from the entry to this model, each the main file of a model that contains the next. */
function modelOf(main: XmlElement, format: 'mjcf' | 'urdf', chain: readonly string[], loading: Loading): LoadedModel {
  const { root, includes } = expandIncludes(main, format, loading)
  const sections = format === 'mjcf' ? root.children.filter(({ name }) => name === 'asset') : []
  const elements = sections.flatMap(({ children }) => children.filter(({ name }) => name === 'model'))
  const models = new Map<XmlElement, LoadedModel>()
  for (const element of elements) {
    const child = containedModel(element, chain, loading)
    if (child) models.set(element, child)
  }
  return { path: main.file, folder: folderOf(main.file), format, root, models, includes, report: loading.report }
}

function containedModel(element: XmlElement, chain: readonly string[], loading: Loading): LoadedModel | null {
  const { gathered, faults, report, left } = loading
  const reference = modelReference(element)
  if (!reference) {
    faults.add('schema', element, 'A <model> without the attribute "file".', { hint: 'Add file="…".' })
    return null
  }
  const { written } = reference
  if (!isModelFile(reference)) {
    const hint = 'Name it .xml or .urdf (lower case), or write content_type="text/xml".'
    faults.add('asset', element, `MuJoCo cannot read a model from "${written}".`, { names: [written], hint })
    return null
  }
  const path = existing(reference, gathered)
  if (path === null) {
    if (leavesRepo(reference)) leaves(reference, faults)
    else report.missing.push(missingFile(reference, 'model'))
    return null
  }
  if (chain.includes(path)) {
    const names = [...chain.slice(chain.indexOf(path)), path]
    faults.add('include', element, `Models contain each other: ${names.join(' -> ')}.`, { names })
    return null
  }
  left.models -= 1
  if (left.models < 0) faults.refuse('limit', element, `More than ${limits.models} models in models.`)
  const file = gathered.get(path)
  left.bytes -= file?.bytes ?? 0
  if (left.bytes < 0) faults.refuse('limit', element, `More than ${limits.textBytes} bytes of XML with all models.`)
  if (!file?.root) {
    addXmlFault(file?.fault ?? null, element, loading)
    return null
  }
  const format = formatOf(file.root)
  if (!format) {
    const message = `"${path}" is not a model: its root element is <${file.root.name}>.`
    faults.add('asset', element, message, { names: [path] })
    return null
  }
  if (element.file !== chain.at(-1)) warnOfFallback(reference, path, report)
  return modelOf(file.root, format, [...chain, path], loading)
}
