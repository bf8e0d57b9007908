import type { SpecCategory, SpecObject } from '../spec/types.ts'

/** What a sensor names: the attribute that does, and what kind of thing it means; null for a kind that MuJoCo knows no names of. */
export interface Subject {
  readonly attribute: string
  readonly category: SpecCategory | null
}

/** Names of object types in attributes like `objtype`; `xbody` is a body seen in its own frame. */
const OBJECT_TYPES: Readonly<Record<string, SpecCategory>> = {
  body: 'body',
  xbody: 'body',
  joint: 'joint',
  geom: 'geom',
  site: 'site',
  camera: 'camera',
  light: 'light',
  flex: 'flex',
  mesh: 'mesh',
  skin: 'skin',
  hfield: 'hfield',
  texture: 'texture',
  material: 'material',
  pair: 'pair',
  exclude: 'exclude',
  equality: 'equality',
  tendon: 'tendon',
  actuator: 'actuator',
  sensor: 'sensor',
  numeric: 'numeric',
  text: 'text',
  tuple: 'tuple',
  key: 'key',
  plugin: 'plugin',
}

/** The category of a type name as tuples and user sensors write it. */
export function categoryOf(objtype: string): SpecCategory | undefined {
  return Object.hasOwn(OBJECT_TYPES, objtype) ? OBJECT_TYPES[objtype] : undefined
}

const SINGLE: Readonly<Record<string, SpecCategory>> = {
  joint: 'joint',
  tendon: 'tendon',
  actuator: 'actuator',
  body: 'body',
}

/** What a sensor senses, and what it is measured against. */
export function sensorSubjects(sensor: SpecObject): {
  readonly object: Subject | null
  readonly reference: Subject | null
} {
  const { name, attributes } = sensor.element
  const named = (attribute: string, category: SpecCategory | null): Subject | null =>
    attributes.has(attribute) ? { attribute, category } : null
  const typed = (attribute: string, type: string): Subject | null => {
    const objtype = attributes.get(type)
    return objtype === undefined ? null : named(attribute, categoryOf(objtype) ?? null)
  }
  const numbered = (place: 1 | 2): Subject | null =>
    named(`body${place}`, 'body') ?? named(`subtree${place}`, 'body') ?? named(`geom${place}`, 'geom')
  switch (name) {
    case 'camprojection':
      return { object: named('site', 'site'), reference: named('camera', 'camera') }
    case 'rangefinder':
      return { object: named('site', 'site') ?? named('camera', 'camera'), reference: null }
    case 'insidesite':
      return { object: typed('objname', 'objtype'), reference: named('site', 'site') }
    case 'distance':
    case 'normal':
    case 'fromto':
      return { object: numbered(1), reference: numbered(2) }
    case 'contact':
      return { object: named('site', 'site') ?? numbered(1), reference: numbered(2) }
    case 'tactile':
      return { object: named('mesh', 'mesh'), reference: named('geom', 'geom') }
    case 'user':
      return { object: typed('objname', 'objtype'), reference: null }
  }
  if (attributes.has('objtype')) return { object: typed('objname', 'objtype'), reference: typed('refname', 'reftype') }
  const single = Object.keys(SINGLE).find((attribute) => attributes.has(attribute))
  if (single !== undefined) return { object: named(single, SINGLE[single] ?? null), reference: null }
  return { object: named('site', 'site'), reference: null }
}
