/** The map of a replay: which recorded number moves which joint, as a person sees and changes it. */

import type { MappedJoint } from '@hub/embodiment/joint-map'
import { button } from '../../viewer/panels/choices.ts'
import { element } from '../../viewer/panels/element.ts'
import type { ShownModel } from '../../viewer/viewer-state.ts'
import type { Curves } from '../episode-curves.ts'
import { type JointPanel, jointPanel } from './joint-panel.ts'
import { mapByName, mapOf } from './map-by-name.ts'
import { mapNote } from './map-note.ts'
import { doubtsOf } from './poses.ts'
import type { Mapping, ReplayLane } from './replay-lane.ts'
import { targetsOf } from './robot-targets.ts'
import { DEGREES } from './units.ts'

/** What a person chose about the map. */
export interface MapChoice {
  /** Null for joints by name. */
  readonly map: readonly MappedJoint[] | null
  readonly ghost: boolean
  readonly differ: number
}

export interface JointMapView {
  readonly node: HTMLElement
  /** A robot's model is open. */
  ready(model: ShownModel, start: readonly number[]): void
  /** There is no robot. */
  forget(): void
  /** Poses all lanes by the map; a lane that was opened later too. */
  apply(): void
  /** Shows the values of the frame. */
  refresh(): void
}

export function jointMapView(options: {
  /** Names of the recorded numbers of a frame. */
  readonly labels: readonly string[]
  readonly lanes: () => readonly ReplayLane[]
  readonly choice: () => MapChoice
  /** A person changed the map. */
  readonly onMap: (pairs: readonly MappedJoint[]) => void
}): JointMapView {
  const { labels, lanes, choice, onMap } = options
  const node = element('div', { class: 'joint-panel', hidden: true })
  let mapping: Mapping | null = null
  let table: JointPanel | null = null
  let drawnOf: Curves | null = null
  const curves = () => lanes()[0]?.curves() ?? null
  const change = (pairs: readonly MappedJoint[]) => {
    if (mapping === null) return
    onMap(pairs)
    mapping = { ...mapping, map: mapOf(pairs, labels, mapping.targets, mapping.start) }
    view.apply()
  }
  const draw = () => {
    drawnOf = curves()
    node.hidden = mapping === null
    if (mapping === null) return
    const { map, targets } = mapping
    table = jointPanel({ targets, labels, pairs: map.joints, differ: choice().differ, onChange: change })
    const doubts = drawnOf ? doubtsOf(drawnOf, map, targets) : []
    const isOpen = node.querySelector('details')?.open ?? (map.joints.length === 0 || doubts.length > 0)
    const toDegrees = button('Take angles as degrees', () => change(inDegrees(map.joints, mapping)))
    const focused = labelIn(node)
    node.replaceChildren(
      ...mapNote({ map, targets, isByName: choice().map === null, doubts, toDegrees }),
      element('details', { open: isOpen }, element('summary', {}, `Joints (${targets.length})`), table.node),
    )
    focusOn(node, focused)
  }
  const view: JointMapView = {
    node,
    ready({ opened }, start) {
      const targets = targetsOf(opened.facts)
      const said = choice().map?.filter(({ to }) => targets.some(({ name }) => name === to))
      const map = said ? mapOf(said, labels, targets, start) : mapByName(labels, targets, start)
      mapping = { map, targets, start }
      view.apply()
    },
    forget() {
      mapping = null
      draw()
    },
    apply() {
      for (const lane of lanes()) if (lane.stage()) lane.mapped(mapping, choice().ghost)
      draw()
      view.refresh()
    },
    refresh() {
      if (curves() !== drawnOf) draw()
      const values = lanes()[0]?.values()
      table?.show(values?.state ?? null, values?.action ?? null)
    },
  }
  return view
}

/** The label of what has the focus: a table that is drawn again would lose it. */
function labelIn(node: HTMLElement): string | null {
  const { activeElement } = document
  return node.contains(activeElement) ? (activeElement?.getAttribute('aria-label') ?? null) : null
}

function focusOn(node: HTMLElement, label: string | null): void {
  if (label === null) return
  const all = [...node.querySelectorAll<HTMLElement>('[aria-label]')]
  all.find((one) => one.getAttribute('aria-label') === label)?.focus()
}

/** All angles of a robot, as if they were recorded in degrees. */
function inDegrees(pairs: readonly MappedJoint[], mapping: Mapping | null): MappedJoint[] {
  const angles = new Set(mapping?.targets.flatMap(({ name, unit }) => (unit === 'rad' ? [name] : [])))
  return pairs.map((pair) => (angles.has(pair.to) ? { ...pair, scale: DEGREES } : pair))
}
