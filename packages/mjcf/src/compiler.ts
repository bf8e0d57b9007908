/**
 * The `<compiler>` settings of one model: global to it, whichever file they were written in, later ones over earlier
 * ones.
 */
import { readNumbers } from './grammar/values.ts'
import type { XmlElement } from './xml/element.ts'

/** Where asset files are looked for, relative to the folder of the model; '' is that folder itself. */
interface AssetDirs {
  readonly mesh: string
  readonly texture: string
}

export interface Compiler {
  /** Joined to the file names of assets when they are opened. */
  readonly dirs: AssetDirs
  /**
   * For assets that an included file names, MuJoCo checks whether they exist in the folder of the main file, with
   * separately collected folders: there an empty `meshdir` or `texturedir` falls back to `assetdir`, which never
   * overrides them.
   */
  readonly probeDirs: AssetDirs & { readonly asset: string }
  readonly strippath: boolean
  readonly discardvisual: boolean
  readonly fusestatic: boolean
  readonly autolimits: boolean
  readonly balanceinertia: boolean
  readonly alignfree: boolean
  /** Whether angles are in degrees; else they are in radians. */
  readonly degrees: boolean
  readonly inertiafromgeom: 'true' | 'false' | 'auto'
  /** First and last geom group that contribute to inertia. */
  readonly inertiagrouprange: readonly [number, number]
  readonly boundmass: number
  readonly boundinertia: number
  readonly settotalmass: number
  readonly eulerseq: string
}

/**
 * The settings of a model, MJCF (root `mujoco`) or URDF (root `robot`, whose `<mujoco><compiler>` holds them). An
 * unreadable setting counts as absent.
 */
export function compilerOf(root: XmlElement): Compiler {
  const urdf = root.name.toLowerCase() === 'robot'
  const sections = (urdf ? childrenNamed([root], 'mujoco') : [root]).slice(0, 1)
  const compilers = childrenNamed(sections, 'compiler').slice(0, urdf ? 1 : undefined)
  const last = (name: string) => compilers.findLast((e) => e.attributes.has(name))?.attributes.get(name)
  const flag = (name: string, otherwise: boolean) => asFlag(last(name)) ?? otherwise
  const number = (name: string, otherwise: number) => numbersOf(last(name))[0] ?? otherwise
  const inertia = last('inertiafromgeom')
  const [groupFrom = 0, groupTo = 5] = numbersOf(last('inertiagrouprange'))
  // A URDF has no includes, so its probes are never used.
  const asset = last('assetdir') ?? ''
  return {
    dirs: dirsOf(compilers),
    probeDirs: { asset, mesh: last('meshdir') || asset, texture: last('texturedir') || asset },
    strippath: flag('strippath', false),
    discardvisual: flag('discardvisual', urdf),
    fusestatic: flag('fusestatic', urdf),
    autolimits: flag('autolimits', true),
    balanceinertia: flag('balanceinertia', false),
    alignfree: flag('alignfree', false),
    degrees: !urdf && last('angle') !== 'radian',
    inertiafromgeom: inertia === 'true' || inertia === 'false' ? inertia : 'auto',
    inertiagrouprange: [groupFrom, groupTo],
    boundmass: number('boundmass', 0),
    boundinertia: number('boundinertia', 0),
    settotalmass: number('settotalmass', -1),
    eulerseq: last('eulerseq') ?? 'xyz',
  }
}

/**
 * `assetdir` sets both folders. In the same element, `meshdir` and `texturedir` override it; a later `assetdir`
 * overrides an earlier `meshdir` or `texturedir`.
 */
function dirsOf(compilers: readonly XmlElement[]): AssetDirs {
  let mesh = ''
  let texture = ''
  for (const { attributes } of compilers) {
    mesh = attributes.get('meshdir') ?? attributes.get('assetdir') ?? mesh
    texture = attributes.get('texturedir') ?? attributes.get('assetdir') ?? texture
  }
  return { mesh, texture }
}

function childrenNamed(parents: readonly XmlElement[], name: string): XmlElement[] {
  return parents.flatMap((parent) => parent.children.filter((child) => child.name === name))
}

function asFlag(text: string | undefined): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}

function numbersOf(text: string | undefined): number[] {
  return readNumbers(text ?? '') ?? []
}
