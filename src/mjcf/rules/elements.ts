import type { LoadedModel } from '../load/loaded-model.ts'
import type { XmlElement } from '../xml/element.ts'
import { builtinMeshFault } from './builtin-mesh.ts'
import { numbersIn } from './fields.ts'
import type { Report } from './report.ts'

/**
 * What the reader refuses of an element alone, wherever it stands: in default classes and in models that are never attached too, where no object
 * comes of it.
 */
export function checkElements(loaded: LoadedModel, report: Report): void {
  const models = new Set([loaded])
  for (const model of models) {
    for (const child of model.models.values()) models.add(child)
    if (model.format === 'mjcf') walk(model.root, report)
  }
}

function walk(root: XmlElement, report: Report): void {
  const pending = [root]
  for (let element = pending.pop(); element !== undefined; element = pending.pop()) {
    checkRotation(element, report)
    const predicate = CHECKS[element.name]?.(element) ?? null
    if (predicate !== null) report.fault('element', 'value', element, `The <${element.name}> element ${predicate}.`)
    for (let i = element.children.length - 1; i >= 0; i--) pending.push(element.children[i] as XmlElement)
  }
}

const ROTATED = new Set(['body', 'frame', 'geom', 'site', 'camera', 'inertial'])
const ROTATIONS = ['quat', 'axisangle', 'xyaxes', 'zaxis', 'euler']

function checkRotation(element: XmlElement, report: Report): void {
  if (!ROTATED.has(element.name)) return
  const { attributes } = element
  const spelled = ROTATIONS.filter((name) => attributes.has(name))
  if (spelled.length > 1) {
    const message = `The <${element.name}> element has ${spelled.join(' and ')}: one rotation, spelled twice.`
    report.fault('rotations', 'value', element, message, spelled, 'Keep one of them.')
  }
  const quat = numbersIn(attributes.get('quat'))
  if (quat.length === 4 && quat.every((value) => value === 0)) {
    report.fault('quat', 'value', element, `The <${element.name}> element has a quat of zeros, which is no rotation.`)
  }
}

type Check = (element: XmlElement) => string | null

const number = ({ attributes }: XmlElement, name: string) => numbersIn(attributes.get(name))[0]

const atMost5: Check = (element) => {
  const group = number(element, 'group') ?? 0
  return group < 0 || group > 5 ? `has the group ${group}; it is 0 to 5` : null
}

/** Values that must be above 0 where they are given. */
const positive =
  (name: string): Check =>
  (element) =>
    (number(element, name) ?? 1) <= 0 ? `has a ${name} that is not positive` : null

const CHECKS: Readonly<Record<string, Check>> = {
  compiler: ({ attributes }) =>
    attributes.get('coordinate') === 'global' ? 'asks for global coordinates, which are gone' : null,
  option: ({ attributes }) =>
    numbersIn(attributes.get('actuatorgroupdisable')).some((group) => group < 0 || group > 30)
      ? 'disables an actuator group out of 0 to 30'
      : null,
  statistic: positive('extent'),
  global: positive('realtime'),
  map: positive('znear'),
  size: sizeFault,
  skin: atMost5,
  mesh: (element) => {
    const most = number(element, 'maxhullvert') ?? -1
    return most !== -1 && most < 4 ? 'has a maxhullvert below 4' : builtinMeshFault(element)
  },
  material: ({ attributes, children }) =>
    attributes.has('texture') && children.some(({ name }) => name === 'layer') ? 'has both a texture and layers' : null,
  texture: ({ attributes }) => {
    const layout = attributes.get('gridlayout')
    const [rows = 1, columns = 1] = numbersIn(attributes.get('gridsize'))
    return layout !== undefined && layout.length !== rows * columns
      ? 'has a gridlayout whose length is not that of its gridsize'
      : null
  },
}

const COUNTS = [
  'nconmax',
  'nstack',
  'njmax',
  'nuser_body',
  'nuser_jnt',
  'nuser_geom',
  'nuser_site',
  'nuser_cam',
  'nuser_tendon',
  'nuser_actuator',
  'nuser_sensor',
]
/** Exponents of two that a suffix stands for. */
const SUFFIXES = { k: 10n, m: 20n, g: 30n, t: 40n, p: 50n, e: 60n } as const

function sizeFault(element: XmlElement): string | null {
  const low = COUNTS.find((name) => (number(element, name) ?? 0) < -1)
  if (low !== undefined) return `has a ${low} below -1`
  const memory = element.attributes.get('memory')
  if (memory === undefined || memory.trim() === '-1') return null
  const [, digits, suffix] = /^\s*\+?(\d+)([kmgtpeKMGTPE]?)\s*$/.exec(memory) ?? []
  const shift = suffix ? SUFFIXES[suffix.toLowerCase() as keyof typeof SUFFIXES] : 0n
  const fits = digits !== undefined && digits.length < 25 && BigInt(digits) << shift < 1n << 64n
  return fits ? null : `has the memory "${memory}"; it is a whole number with an optional K, M, G, T, P or E`
}
