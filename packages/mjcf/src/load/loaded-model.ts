/** Result of loading: the trees of a model and of the models it contains, with includes expanded. */
import type { ModelFault } from '../fault.ts'
import type { MissingFile } from '../reading.ts'
import type { XmlElement } from '../xml/element.ts'

export interface LoadedModel {
  /** Path in the repo of its main file. */
  readonly path: string
  /** Folder of its main file, what compiler folders and asset files are relative to: `''` at the root. */
  readonly folder: string
  readonly format: 'mjcf' | 'urdf'
  /** MJCF: includes expanded; each element still knows the `file` in which it was written. URDF: unchanged. */
  readonly root: XmlElement
  /**
   * The model of each `<model>` asset element whose file was found and read. A file used twice is loaded twice:
   * elements are never shared.
   */
  readonly models: ReadonlyMap<XmlElement, LoadedModel>
  /** Paths in the repo of the files included, in the order first seen. */
  readonly includes: readonly string[]
  /** Reports about its files; shared by the models of one reading. */
  readonly report: LoadReport
}

export interface LoadReport {
  /** Missing includes and model assets. */
  readonly missing: MissingFile[]
  /** MuJoCo accepts these: an include that works only by the path the model is loaded with, a file included twice. */
  readonly warnings: ModelFault[]
}
