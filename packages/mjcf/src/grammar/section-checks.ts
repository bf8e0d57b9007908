/** Like element-checks.ts, for elements with their own check. */
import type { XmlElement } from '../xml/element.ts'
import { numberAt, numbersAt } from './element-checks.ts'
import { KEYWORDS } from './keywords.ts'
import { readNumbers, short, wordsOf } from './values.ts'

const SUFFIX_BITS: Record<string, number> = { '': 0, k: 10, m: 20, g: 30, t: 40, p: 50, e: 60 }

/** A byte count such as `64M`; `-1` means the default. Sizes that do not fit into 64 bits are rejected. */
export function memorySize(element: XmlElement): string | null {
  const text = element.attributes.get('memory')
  if (text === undefined) return null
  const match = /^\+?0*(\d{1,20})([KMGTPE]?)$/i.exec(wordsOf(text).join(' '))
  const bits = SUFFIX_BITS[match?.[2]?.toLowerCase() ?? ''] ?? 0
  const fits = match !== null && BigInt(match[1] as string) << BigInt(bits) < 1n << 64n
  return fits || wordsOf(text).join(' ') === '-1'
    ? null
    : `has the memory "${short(text)}", which is not a whole number with an optional K, M, G, T, P or E`
}

/** `-1` for all, or enough points for a hull. */
export function hullVertices(element: XmlElement): string | null {
  const value = numberAt(element, 'maxhullvert')
  return value !== null && value !== -1 && value < 4
    ? `has the maxhullvert ${value}, which must be -1 or at least 4`
    : null
}

/** A layout has a character for each cell of the grid. */
export function gridLayout(element: XmlElement): string | null {
  const layout = element.attributes.get('gridlayout')
  const [rows = 1, columns = 1] = numbersAt(element, 'gridsize') ?? []
  if (layout === undefined || new TextEncoder().encode(layout).length === rows * columns) return null
  return `has the gridlayout "${short(layout)}", which needs a character for each of the ${rows * columns} cells of its gridsize`
}

/** A height field without a file has a height for each cell, where it has any. */
export function elevation(element: XmlElement): string | null {
  const [rows = 0, columns = 0] = [numberAt(element, 'nrow') ?? 0, numberAt(element, 'ncol') ?? 0]
  const text = element.attributes.get('elevation')
  if (element.attributes.has('file') || rows <= 0 || columns <= 0 || text === undefined) return null
  const heights = readNumbers(text, 'float')
  if (heights === null) return 'has an elevation that is not a list of numbers'
  return heights.length === 0 || heights.length === rows * columns
    ? null
    : `has ${heights.length} heights in elevation for ${rows} x ${columns} cells`
}

/** A builtin mesh has parameters, which MuJoCo reads for no other mesh. */
export function builtinMesh(element: XmlElement): string | null {
  if (!element.attributes.has('builtin')) return null
  const parameters = readNumbers(element.attributes.get('params') ?? '')
  if (parameters === null) return 'has params that are not a list of numbers'
  return parameters.length === 0 ? 'has builtin, which needs params' : null
}

/** A material may name its textures in only one of the two ways. */
export function textureOrLayers(element: XmlElement): string | null {
  return element.attributes.has('texture') && element.children.length > 0 ? 'has a texture and layers' : null
}

const CURVES = ['s', 'cos(s)', 'sin(s)', '0']

/** Up to three shapes, one for each coordinate. A blank at the end repeats the last one. */
export function curve(element: XmlElement): string | null {
  const text = element.attributes.get('curve') ?? ''
  const words = wordsOf(text)
  if (text !== '' && words.length === 0) return 'has a curve of blanks'
  if (/[ \t\n\v\f\r]$/.test(text)) words.push(words.at(-1) as string)
  if (words.length > 3) return 'has a curve of more than three components'
  const unknown = words.find((word) => !CURVES.includes(word))
  return unknown === undefined ? null : `has a curve with "${short(unknown)}", which is none of ${CURVES.join(', ')}`
}

/** A solid made from a mesh needs a point inside. */
export function flexcompOrigin(element: XmlElement): string | null {
  const solid = element.attributes.get('type') === 'mesh' && numberAt(element, 'dim') === 3
  return solid && (numbersAt(element, 'origin')?.length ?? 0) === 0
    ? 'is of type mesh with dim 3, which needs an origin'
    : null
}

/** The edges of a flex are held by constraints or by elasticity, not by both. */
export function flexcompElasticity(element: XmlElement): string | null {
  const edge = element.children.find((child) => child.name === 'edge')
  const elasticity = element.children.find((child) => child.name === 'elasticity')
  if (edge === undefined || elasticity === undefined) return null
  const constrained = KEYWORDS.flexEquality.indexOf(edge.attributes.get('equality') ?? 'false') > 0
  const elastic = (numberAt(elasticity, 'young') ?? 0) > 0 && elasticity.attributes.get('elastic2d') !== 'bend'
  return constrained && elastic ? 'has equality constraints on its edges and elasticity at the same time' : null
}

const MAX_NUMERIC = 500

/** A numeric field has 1 to 500 numbers: as many as `size`, and no more data than that. */
export function numericSize(element: XmlElement): string | null {
  const count = numbersAt(element, 'data')?.length ?? 0
  const size = numberAt(element, 'size')
  if (size !== null && count > size) return `has ${count} numbers for the size ${size}`
  // one more than the maximum means "as many as there are"
  const total = size === null || size === MAX_NUMERIC + 1 ? count : size
  return total < 1 || total > MAX_NUMERIC ? `has ${total} numbers; a numeric has 1 to ${MAX_NUMERIC}` : null
}

/** A non-empty text. */
export function someText(element: XmlElement): string | null {
  return element.attributes.get('data') === '' ? 'has no text in data' : null
}

const OBJECT_TYPES =
  `body xbody joint dof geom site camera light flex mesh skin hfield texture material pair exclude equality tendon actuator sensor numeric
  text tuple key plugin`.split(/\s+/)

/** A tuple holds objects of the kinds that MuJoCo names. */
export function tupleObject(element: XmlElement): string | null {
  const type = element.attributes.get('objtype')
  return type === undefined || OBJECT_TYPES.includes(type)
    ? null
    : `has the objtype "${short(type)}", which is not a kind of object`
}

/** Settings of one plugin have unique keys; settings next to the name of an instance are not read. */
export function differentKeys(element: XmlElement): string | null {
  if ((element.attributes.get('instance') ?? '') !== '') return null
  const seen = new Set<string>()
  for (const { name, attributes } of element.children) {
    const key = attributes.get('key')
    if (name !== 'config' || key === undefined) continue
    if (seen.has(key)) return `has the config key "${short(key)}" twice`
    seen.add(key)
  }
  return null
}
