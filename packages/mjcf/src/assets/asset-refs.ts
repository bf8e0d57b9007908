/** The files that a model needs besides its XML, and where MuJoCo looks for each. */
import { type Compiler, compilerOf } from '../compiler.ts'
import type { LoadedModel } from '../load/loaded-model.ts'
import { baseNameOf, folderOf, joinPath } from '../paths.ts'
import type { XmlElement } from '../xml/element.ts'
import { inDocumentOrder } from '../xml/in-document-order.ts'

type AssetKind = 'mesh' | 'texture' | 'hfield' | 'skin' | 'flexcomp'

export interface AssetRef {
  readonly kind: AssetKind
  readonly element: XmlElement
  /** As it was written. */
  readonly written: string
  /**
   * Where the file is opened, unless the element is in an included file and no file is at `probe`: then it is opened at
   * `fallback`.
   */
  readonly path: string
  readonly probe: string
  /** Next to the included file; null in the main file. */
  readonly fallback: string | null
}

/**
 * Settings for assets in the current model: those of the top model where MuJoCo opens files after everything is
 * attached.
 */
interface AssetSettings {
  readonly model: LoadedModel
  readonly compiler: Compiler
  readonly strippath: boolean
}

/** Attributes that name the six sides of a cube texture. */
export const CUBE_FILES = ['fileright', 'fileleft', 'fileup', 'filedown', 'filefront', 'fileback']

/**
 * In document order; a model comes before the models that it contains. Unused assets count too. Assets of a model that
 * is never attached do not count, except the files of its flexcomps, which are opened while the model is parsed.
 */
export function assetRefs(top: LoadedModel, attached: ReadonlySet<LoadedModel>): AssetRef[] {
  const { strippath, discardvisual } = compilerOf(top.root)
  return modelsBelow(top).flatMap((model) => {
    const compiler = compilerOf(model.root)
    const flexcomps = refsOfFlexcomps({ model, compiler, strippath: compiler.strippath })
    if (model !== top && !attached.has(model)) return flexcomps
    return [...refsOfAssets({ model, compiler, strippath }, discardvisual), ...flexcomps]
  })
}

/** The model and the models that it contains, at any depth. */
export function modelsBelow(top: LoadedModel): LoadedModel[] {
  const models = [top]
  for (const model of models) models.push(...model.models.values())
  return models
}

function refsOfAssets(settings: AssetSettings, discardvisual: boolean): AssetRef[] {
  const { dirs, probeDirs } = settings.compiler
  const sections = settings.model.root.children.filter(({ name }) => name === 'asset' || name === 'deformable')
  return sections
    .flatMap(({ children }) => children)
    .flatMap((element) => {
      const ref = (kind: AssetKind, probeDir: string) =>
        refTo({ kind, element, attribute: 'file', dir: dirs.mesh, probeDir, settings })
      if (element.name === 'mesh') return ref('mesh', probeDirs.mesh)
      if (element.name === 'hfield') return ref('hfield', probeDirs.asset)
      if (element.name === 'skin') return ref('skin', probeDirs.asset)
      if (element.name !== 'texture' || discardvisual) return []
      return textureFiles(element).flatMap((name) =>
        refTo({ kind: 'texture', element, attribute: name, dir: dirs.texture, probeDir: probeDirs.texture, settings }),
      )
    })
}

/**
 * The attributes that count: none for a computed texture, and the separate files of a cube only if there is no single
 * one.
 */
function textureFiles({ attributes }: XmlElement): string[] {
  if ((attributes.get('builtin') ?? 'none') !== 'none') return []
  return attributes.get('file') ? ['file'] : CUBE_FILES
}

function refsOfFlexcomps(settings: AssetSettings): AssetRef[] {
  const worlds = settings.model.root.children.filter(({ name }) => name === 'worldbody')
  return worlds
    .flatMap((world) => [...inDocumentOrder(world)])
    .filter(({ name, attributes }) => name === 'flexcomp' && /^(?:mesh|gmsh)$/.test(attributes.get('type') ?? ''))
    .flatMap((element) =>
      refTo({ kind: 'flexcomp', element, attribute: 'file', dir: settings.compiler.dirs.mesh, probeDir: '', settings }),
    )
}

function refTo({
  kind,
  element,
  attribute,
  dir,
  probeDir,
  settings: { model, strippath },
}: {
  readonly kind: AssetKind
  readonly element: XmlElement
  readonly attribute: string
  readonly dir: string
  readonly probeDir: string
  readonly settings: AssetSettings
}): AssetRef[] {
  const written = element.attributes.get(attribute) ?? ''
  if (written === '') return []
  const below = (folder: string, file: string) => joinPath(model.folder, joinPath(folder, file))
  if (strippath) {
    const path = below(dir, baseNameOf(written))
    return [{ kind, element, written, path, probe: path, fallback: null }]
  }
  const fallback = element.file === model.path ? null : joinPath(folderOf(element.file), written)
  return [{ kind, element, written, path: below(dir, written), probe: below(probeDir, written), fallback }]
}
