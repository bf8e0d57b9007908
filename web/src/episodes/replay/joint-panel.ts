/**
 * The joints of a robot beside what an episode says of them: state and action at the shown frame, and for each joint
 * where its number comes from, with which sign, unit and offset.
 */

import type { MappedJoint } from '@hub/embodiment/joint-map'
import { viewerLimits } from '../../viewer/limits.ts'
import { element, told, unlisted } from '../../viewer/panels/element.ts'
import type { RobotTarget } from './robot-targets.ts'
import { unitsOf } from './units.ts'

export interface JointPanel {
  readonly node: HTMLElement
  /** Values of each target in the robot's units, NaN where nothing is said; null for a feature that is absent. */
  show(state: ArrayLike<number> | null, action: ArrayLike<number> | null): void
}

export interface JointPanelOptions {
  readonly targets: readonly RobotTarget[]
  /** Names of the recorded numbers. */
  readonly labels: readonly string[]
  readonly pairs: readonly MappedJoint[]
  /** A difference of state and action above this is marked, in rad or m. */
  readonly differ: number
  /** A person changed where joints come from. */
  readonly onChange: (pairs: readonly MappedJoint[]) => void
}

/** The table for one map; a new map is a new table. */
export function jointPanel(options: JointPanelOptions): JointPanel {
  const { targets, labels, pairs, differ, onChange } = options
  const change = (name: string, pair: MappedJoint | null) =>
    onChange([...pairs.filter(({ to }) => to !== name), ...(pair ? [pair] : [])])
  const rows = targets.slice(0, viewerLimits.rows).map((target) => {
    const pair = pairs.find(({ to }) => to === target.name) ?? null
    const [state, action, apart] = [element('td', {}), element('td', {}), element('td', {})]
    const cells = editCells(target, labels, pair, (next) => change(target.name, next))
    const row = element('tr', {}, element('th', { scope: 'row' }, target.name), state, action, apart, ...cells)
    return { target, row, state, action, apart }
  })
  const head = ['Joint', 'State', 'Action', 'Apart', 'Recorded as', 'Sign', 'Unit', 'Offset']
  const table = element(
    'table',
    { class: 'joint-table' },
    element('thead', {}, element('tr', {}, ...head.map((title) => element('th', { scope: 'col' }, title)))),
    element('tbody', {}, ...rows.map(({ row }) => row)),
  )
  return {
    node: element(
      'div',
      { class: 'joint-scroll table-wrap', tabindex: 0, role: 'region', 'aria-label': 'Joints of the robot' },
      table,
      ...unlisted(targets.length),
    ),
    show(state, action) {
      for (const [place, row] of rows.entries()) {
        const [is, asked] = [state?.[place] ?? Number.NaN, action?.[place] ?? Number.NaN]
        row.state.textContent = valueText(is, row.target)
        row.action.textContent = valueText(asked, row.target)
        const apart = Math.abs(is - asked)
        row.apart.textContent = valueText(apart, row.target)
        row.row.classList.toggle('joint-apart', apart > differ)
        row.apart.title = apart > differ ? `more than ${told(differ)}` : ''
      }
    },
  }
}

function valueText(value: number, { unit }: RobotTarget): string {
  if (!Number.isFinite(value)) return '–'
  if (unit === 'rad') return `${told(value)} rad · ${Math.round((180 * value) / Math.PI)}°`
  return unit === null ? told(value) : `${told(value)} ${unit}`
}

/** Where the number comes from, and what is done to it. */
function editCells(
  target: RobotTarget,
  labels: readonly string[],
  pair: MappedJoint | null,
  change: (pair: MappedJoint | null) => void,
): HTMLElement[] {
  const source = chooser(
    `Recorded number of ${target.name}`,
    [['', 'none: keeps its pose'], ...labels.map((label) => [label, label] as const)],
    pair?.from ?? '',
    (from) => change(from === '' ? null : { ...(pair ?? plainPair), from, to: target.name }),
  )
  if (pair === null) return [cell(source), cell(), cell(), cell()]
  const sign = chooser(
    `Sign of ${target.name}`,
    [
      ['1', '+'],
      ['-1', '−'],
    ],
    String(pair.sign),
    (value) => change({ ...pair, sign: value === '1' ? 1 : -1 }),
  )
  const units = unitsOf(target.unit, pair.scale)
  const unit = chooser(
    `Unit of ${pair.from}`,
    units.map(({ name }, at) => [String(at), name] as const),
    String(units.findIndex(({ scale }) => scale === pair.scale)),
    (value) => change({ ...pair, scale: units[Number(value)]?.scale ?? pair.scale }),
  )
  const offset = element('input', {
    type: 'number',
    step: 'any',
    value: pair.offset,
    'aria-label': `Offset of ${target.name}, in ${target.unit ?? 'its unit'}`,
  })
  offset.addEventListener('change', () => {
    const value = Number(offset.value)
    if (Number.isFinite(value)) change({ ...pair, offset: value })
  })
  return [cell(source), cell(sign), cell(unit), cell(offset)]
}

const plainPair = { sign: 1, scale: 1, offset: 0 } as const

const cell = (...children: readonly HTMLElement[]) => element('td', {}, ...children)

function chooser(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
  onChange: (value: string) => void,
): HTMLSelectElement {
  const select = element(
    'select',
    { 'aria-label': label },
    ...options.map(([value, text]) => element('option', { value, selected: value === chosen }, text)),
  )
  select.addEventListener('change', () => onChange(select.value))
  return select
}
